export {
  currentKey,
  findPublicKey,
  isPublished,
  publicKeys,
  publicKeysEnd,
  type SigningKey,
  signingKey,
  type VerifyingKey,
} from './keys.ts';
export { retireKey, rotateDueKeys, rotateKeys } from './rotation.ts';
