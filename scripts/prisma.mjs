// `prisma generate|validate|format` without the native schema engine, which is not in the npm registry: these
// commands run on WASM if the variable names any executable file. `prisma migrate` must not run this way,
// because it would report success without doing anything.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const verb = process.argv[2];
if (!['generate', 'validate', 'format'].includes(verb)) {
  process.stderr.write('usage: node scripts/prisma.mjs generate|validate|format\n');
  process.exit(2);
}
const result = spawnSync(
  process.execPath,
  [path.resolve('node_modules/prisma/build/index.js'), verb, '--schema', 'prisma/schema.prisma'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  },
);
process.exit(result.status ?? 1);
