// The configuration file: read, compared, applied, exported.
export { type ApplyOptions, applyConfiguration } from './apply.ts';
export { besideFile } from './brands.ts';
export { exportConfiguration } from './export.ts';
export { ConfigurationFault, type FileFault, readConfiguration } from './file.ts';
export type { PlannedChange } from './plan.ts';
export { jsonSchema } from './schema.ts';
