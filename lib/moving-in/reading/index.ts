export { csvRows } from './csv-rows.ts';
export { aroundItems, itemsOf } from './json-items.ts';
export { type Became, Notes, OUTCOMES, pathOf, type ReportRow } from './notes.ts';
export { Part } from './part.ts';
export { SourceFault, type SourceFile, wholeText } from './source-file.ts';
export { linesOf, type TextLine, valueOfLine } from './text-lines.ts';
