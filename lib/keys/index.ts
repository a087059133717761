export { currentKey, findPublicKey, publicKeys, signingKey } from './keys.ts';
export { retireKey, rotateDueKeys, rotateKeys } from './rotation.ts';
