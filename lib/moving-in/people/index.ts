export { type HashKind, type ReadHash, readHash } from './hash-text.ts';
export { checkPerson, type ImportedPerson, type PersonLine, readPersonLine } from './person-line.ts';
