export { declarations } from './declarations.ts';
export { handleRelatedOrigins } from './related-origins.ts';
