// The configuration file: read, compared, applied, exported.
export { type ApplyOptions, applyConfiguration } from './apply.ts';
export { exportConfiguration } from './export.ts';
export {
  besideFile,
  ConfigurationFault,
  describeFault,
  type FileFault,
  jsonSchema,
  readConfiguration,
} from './file/index.ts';
export type { PlannedChange } from './plan.ts';
