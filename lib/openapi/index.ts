export { type DocumentSource, type Operation, openApiDocument, type ResponseSource } from './document.ts';
export { demanded, demandOf, type Json, optional } from './schema.ts';
