export { inspectBeforeUpgrade, type UpgradeFacts } from './before-upgrade.ts';
export { otherFunctions } from './functions.ts';
export { grantServiceRole, migrate, readMigrations, unknownMigration } from './migrate.ts';
export { newerSchema } from './newer-schema.ts';
