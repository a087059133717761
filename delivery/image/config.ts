// How a container of the image runs: program, user, environment, and labels (OCI image configuration).
import { USER } from './base.ts';
import type { Layer } from './layer.ts';
import type { Architecture } from './record.ts';

/** The folder in the image that contains the tree. */
export const HOME = 'usr/lib/gatehouse';

/** Metadata of the image. `time`: time of the commit in seconds. `flags`: command line flags for Node. */
export type About = {
  version: string;
  commit: string;
  time: number;
  description: string;
  license: string;
  flags: readonly string[];
};

export function imageConfig(architecture: Architecture, about: About, layers: readonly Layer[]): object {
  const created = dateOf(about.time);
  return {
    created,
    architecture,
    os: 'linux',
    ...(architecture === 'arm64' && { variant: 'v8' }),
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '3000/tcp': {}, '9464/tcp': {} },
      Env: Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
      Entrypoint: ['/usr/bin/node', ...about.flags, `/${HOME}/bin/container.mjs`],
      // default arguments; the arguments of a container replace them
      Cmd: ['start'],
      WorkingDir: `/${HOME}`,
      StopSignal: 'SIGTERM',
      Labels: labelsOf(about),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ madeBy }) => ({ created, created_by: madeBy })),
  };
}

/** Programs in the container write only below /tmp. */
const ENVIRONMENT = {
  PATH: '/usr/bin',
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  PORT: '3000',
  HOME: '/tmp',
  GATEHOUSE_DATA_DIR: '/tmp/gatehouse',
  NODE_COMPILE_CACHE: '/tmp/gatehouse-compiled',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '2',
  // Debian's CA certificates, for `--use-system-ca` and OpenSSL programs
  SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
};

export const labelsOf = ({ version, commit, time, description, license }: About) => ({
  'org.opencontainers.image.title': 'Gatehouse',
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': commit,
  'org.opencontainers.image.created': dateOf(time),
  'org.opencontainers.image.licenses': license,
});

export const dateOf = (time: number) => new Date(time * 1_000).toISOString().replace('.000', '');
