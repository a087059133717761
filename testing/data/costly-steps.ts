// Each file that takes a costly step (hashing a password, an outgoing call, decoding a picture, rendering a document),
// with who can cause it. A new place needs its row.

type Row =
  /** the step itself, or a part of it; its callers are in this table */
  | { by: 'part' }
  /** who has a session, a role or the host */
  | { by: 'signed-in' | 'operator' }
  /** what the service does by itself, at its own pace */
  | { by: 'service' }
  /** a caller who is not signed in: lib/costly-steps.db.test.ts causes it with its limit used up */
  | { by: 'anybody' };

const part: Row = { by: 'part' };
const operator: Row = { by: 'operator' };
const signedIn: Row = { by: 'signed-in' };
const service: Row = { by: 'service' };
const anybody: Row = { by: 'anybody' };

export const COSTLY: Record<string, Row> = {
  'lib/kit/password-hash.ts': part,
  'lib/auth-methods/former-service.ts': part,
  'lib/auth-methods/local.ts': part,
  'lib/registry/methods/external/verify.ts': part,
  'lib/sign-in/password.ts': anybody,
  'lib/oauth/grants/password.ts': anybody,
  'lib/oauth/former/ask.ts': anybody,
  'lib/oauth/rules/former-keys.ts': service,
  'lib/oauth/client-authentication/kept-secret.ts': anybody,
  'lib/accounts/new-password.ts': anybody,
  'lib/accounts/registration.ts': anybody,
  'lib/sign-in/owed-password.ts': anybody,
  'lib/management/people/mail-links.ts': anybody,
  'lib/accounts/password-policy.ts': part,
  'lib/accounts/known-passwords.ts': part,
  'lib/management/account/account.ts': signedIn,
  'lib/management/people/people.ts': operator,
  'lib/config/apply.ts': operator,
  'lib/auth-methods/broker-discovery.ts': anybody,
  'lib/oauth/client-documents/fetch-document.ts': anybody,
  'lib/oauth/client-documents/logo.ts': anybody,
  'lib/tokens/client-keys.ts': anybody,
  'lib/management/registry/sector-list.ts': signedIn,
  'lib/management/connections/walk.ts': operator,
  'cli/doctor-mcp/calls.ts': operator,
  'lib/management/service/doctor-hosts.ts': operator,
  'lib/management/service/doctor-pages.ts': operator,
  'lib/management/service/doctor-webhook.ts': operator,
  'lib/oauth/sign-out/back-channel.ts': service,
  'lib/audit/webhook.ts': service,
  'lib/outbound/fetch.ts': part,
  'lib/pictures/draw.ts': part,
  'lib/management/registry/brand.ts': signedIn,
  'lib/config/file/brands.ts': operator,
  'lib/openapi/document.ts': part,
  'lib/reference/openapi.ts': anybody,
  'lib/management-api/openapi.ts': anybody,
  'app/_html/render.ts': anybody,
};

export const BY_ANYBODY: readonly string[] = Object.keys(COSTLY).filter(
  (file) => COSTLY[file]?.by === 'anybody',
);
