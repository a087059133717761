export { costOfHash, type HashKind, type ReadHash, readHash } from './hash-text.ts';
export {
  type ImportedPerson,
  type PersonLine,
  readPersonLine,
  referencesOf,
  withoutWrongs,
} from './person-line.ts';
export { type ImportedToken, readTokenLine, type TokenLine } from './token-line.ts';
