export { type HashKind, type ReadHash, readHash } from './hash-text.ts';
export { type ImportedPerson, type PersonLine, readPersonLine } from './person-line.ts';
