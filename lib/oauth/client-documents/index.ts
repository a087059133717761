export { type ClientKeys, currentDocument, currentKeys } from './current-keys.ts';
export type { ClientDocument } from './document.ts';
export { isDocumentUrl } from './document-url.ts';
export { ClientDocumentRefused, ClientDocumentUnavailable } from './errors.ts';
export { handleClientLogo, logoAddress } from './logo.ts';
export { isPassing, readClientDocument } from './read-document.ts';
