export {
  type BrandInFile,
  besideFile,
  brandsInFile,
  drawLogos,
  type FileLogo,
  keepLogos,
  type ReadBeside,
} from './brands.ts';
export { ConfigurationFault, describeFault, type FileFault, readConfiguration, sortedOnce } from './file.ts';
export type { Environment, FileFinding } from './raw.ts';
export { type ConfigurationFile, type GivenSecret, jsonSchema } from './schema.ts';
