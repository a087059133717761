export { ensureEmbeddedDatabase, ensureLocalSecret, stopAbandonedDatabase } from './embedded.ts';
export { start } from './start.ts';
