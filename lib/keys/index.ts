export { currentKey, findPublicKey, publicKeys } from './keys.ts';
export { retireKey, rotateDueKeys, rotateKeys } from './rotation.ts';
