// Names and secrets shared by database, servers and load.
import { createHash } from 'node:crypto';

export const METHOD = 'local';
export const API = 'orders';
export const API_URL = 'https://api.example/orders';
export const API_SECRET = 'bench-orders-api-secret-not-for-production';
export const CLIENT = 'bench';
export const CLIENT_SECRET = 'ghcs_bench-client-secret-not-for-production-0000';
export const TRUSTED_CLIENT = 'bench-trusted';
/** Clients whose codes belong to requests with the scope `openid`. `first`: number of the first such code. */
export const OPENID_CLIENTS = {
  'openid-es256': { clientId: 'bench-es256', alg: 'ES256', first: 1_000_000_000 },
  'openid-rs256': { clientId: 'bench-rs256', alg: 'RS256', first: 1_500_000_000 },
} as const;
export const REDIRECT_URI = 'https://bench.example/callback';
/** BASE_URL of every server of a run. */
export const ORIGIN = 'http://localhost:3000';
/** Secret that authorizes requests for a cleanup. */
export const CRON_SECRET = 'bench-cron-secret-not-for-production';
export const PASSWORD = 'bench-password';
export const SCOPES = ['orders:read', 'orders:write'];
export const PEOPLE = 1_000;
export const ISSUER_PATH = `/auth/${METHOD}/api/${API}`;
export const VERIFIER = 'bench-verifier-0123456789-abcdefghijklmnopqrstuvwxyz';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export const personSql = (i: string) =>
  `('00000000-0000-4000-8000-' || lpad(to_hex((${i}) % ${PEOPLE}), 12, '0'))::uuid`;

export const emailOf = (i: number) => `person${i % PEOPLE}@bench.example`;
