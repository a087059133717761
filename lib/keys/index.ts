export { currentKey, findPublicKey, publicKeys, type SigningAlg } from './keys.ts';
