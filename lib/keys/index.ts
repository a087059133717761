export {
  algsInUse,
  currentKey,
  findHintKey,
  findPublicKey,
  isPublished,
  publicKeys,
  publicKeysEnd,
  type SigningKey,
  signingKey,
  type VerifyingKey,
  withFirstKeys,
} from './keys.ts';
export { ROTATE_AFTER_DAYS, retireKey, rotateDueKeys, rotateKeys, TooManyKeys } from './rotation.ts';
export { subjectSalt } from './subject-salt.ts';
