export { type ImportAsked, type ImportTotals, importPeople } from './import-people.ts';
export { importTokens } from './import-tokens.ts';
export { undoImport } from './undo-import.ts';
