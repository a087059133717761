export { type ImportAsked, type ImportTotals, importPeople } from './import-people.ts';
export { undoImport } from './undo-import.ts';
