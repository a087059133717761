export {
  IMPORT_SOURCES,
  type ImportSource,
  importFiles,
  readChoices,
} from './import-files.ts';
export {
  costOfHash,
  type HashKind,
  type ImportedPerson,
  type PersonLine,
  type ReadHash,
  readHash,
  readPersonLine,
  readTokenLine,
  referencesOf,
} from './people/index.ts';
export { linesOf, SourceFault, type SourceFile, type TextLine } from './reading/index.ts';
export { countsInWords } from './writing/index.ts';
