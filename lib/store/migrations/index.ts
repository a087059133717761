export { otherFunctions } from './functions.ts';
export { grantServiceRole, migrate, readMigrations, unknownMigration } from './migrate.ts';
export { newerSchema } from './newer-schema.ts';
