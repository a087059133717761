export { convertCsv } from './csv.ts';
export { convertJsonLines } from './jsonl.ts';
