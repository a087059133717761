// Each file that takes a costly step (hashing a password, an outgoing call, decoding a picture, rendering a document), with who can cause
// it. A new place needs its row.

type Row =
  /** the step itself, or a part of it; its callers are in this table */
  | { by: 'part' }
  /** who has a session, a role or the host */
  | { by: 'signed-in' | 'operator' }
  /** what the service does by itself, at its own pace */
  | { by: 'service' }
  /** somebody who is not signed in: lib/costly-steps.db.test.ts causes it with its limit used up */
  | { by: 'anybody' };

const part: Row = { by: 'part' };
const operator: Row = { by: 'operator' };
const signedIn: Row = { by: 'signed-in' };
const service: Row = { by: 'service' };
const anybody: Row = { by: 'anybody' };

export const COSTLY: Record<string, Row> = {
  'lib/kit/index.ts': part,
  'lib/kit/password-hash.ts': part,
  'lib/auth-methods/local.ts': part,
  'lib/auth-methods/external.ts': part,
  'lib/oauth/hosted/sign-in.ts': anybody,
  'lib/oauth/grants/password.ts': anybody,
  'lib/management/sign-in.ts': anybody,
  'lib/management/new-password.ts': anybody,
  'lib/management/registration.ts': anybody,
  'lib/management/mail-links.ts': anybody,
  'lib/management/password-policy.ts': part,
  'lib/management/known-passwords.ts': part,
  'lib/management/account.ts': signedIn,
  'lib/management/people.ts': operator,
  'lib/config/apply.ts': operator,
  'lib/auth-methods/broker-discovery.ts': anybody,
  'lib/oauth/client-documents/fetch-document.ts': anybody,
  'lib/oauth/client-documents/logo.ts': anybody,
  'lib/tokens/client-keys.ts': anybody,
  'lib/management/sector-list.ts': signedIn,
  'lib/management/doctor-methods.ts': operator,
  'cli/doctor-mcp/calls.ts': operator,
  'lib/management/doctor-hosts.ts': operator,
  'lib/management/doctor-pages.ts': operator,
  'lib/oauth/openid/back-channel.ts': service,
  'lib/audit/webhook.ts': service,
  'lib/outbound/fetch.ts': part,
  'lib/pictures/draw.ts': part,
  'lib/management/brand.ts': signedIn,
  'lib/config/brands.ts': operator,
  'lib/openapi/document.ts': part,
  'lib/reference/openapi.ts': anybody,
  'lib/management-api/openapi.ts': anybody,
  'app/_html/render.ts': anybody,
};

export const BY_ANYBODY: readonly string[] = Object.keys(COSTLY).filter(
  (file) => COSTLY[file]?.by === 'anybody',
);
