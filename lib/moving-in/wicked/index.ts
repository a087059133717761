export { convertWicked } from './convert-wicked.ts';
