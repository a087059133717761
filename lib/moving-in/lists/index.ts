export { convertAuth0 } from './auth0.ts';
export { convertCsv } from './csv.ts';
export { convertFirebase } from './firebase.ts';
export { convertJsonLines } from './jsonl.ts';
