export { checkKept, cutsPassword, wrapHash } from './kept-hash.ts';
