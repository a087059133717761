export { formerGrant } from './redeem.ts';
