export { type ClientKeys, currentKeys } from './current-keys.ts';
export type { ClientDocument } from './document.ts';
export { isDocumentUrl } from './document-url.ts';
export { ClientDocumentRefused, ClientDocumentUnavailable } from './errors.ts';
export { handleClientLogo, logoAddress } from './logo.ts';
export { readClientDocument } from './read-document.ts';
