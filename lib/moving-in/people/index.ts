export { costOfHash, type HashKind, type ReadHash, readHash } from './hash-text.ts';
export {
  checkPerson,
  type ImportedPerson,
  type PersonLine,
  readPersonLine,
  referencesOf,
} from './person-line.ts';
export { type ImportedToken, readTokenLine, type TokenLine } from './token-line.ts';
