export {
  algsInUse,
  currentKey,
  findPublicKey,
  publicKeys,
  publicKeysEnd,
  type SigningKey,
  signingKey,
  type VerifyingKey,
  withFirstKeys,
} from './keys.ts';
export { retireKey, rotateDueKeys, rotateKeys } from './rotation.ts';
