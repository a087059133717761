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
  'lib/auth-methods/local.ts': part,
  'lib/registry/methods/external/verify.ts': part,
  'lib/sign-in/first-step.ts': anybody,
  'lib/oauth/grants/password.ts': anybody,
  'lib/oauth/former.ts': anybody,
  'lib/oauth/issuer.ts': service,
  'lib/oauth/client-authentication.ts': anybody,
  'lib/accounts/password-policy.ts': anybody,
  'lib/accounts/registration.ts': anybody,
  'lib/sign-in/steps.ts': anybody,
  'lib/management/mail-links.ts': anybody,
  'lib/management/my-account.ts': signedIn,
  'lib/management/people.ts': operator,
  'lib/config/apply.ts': operator,
  'lib/auth-methods/broker-discovery.ts': anybody,
  'lib/oauth/client-documents.ts': anybody,
  'lib/oauth/client-logo.ts': anybody,
  'lib/tokens/client-assertion.ts': anybody,
  'lib/management/clients.ts': signedIn,
  'lib/management/connection-steps.ts': operator,
  'cli/doctor-mcp.ts': operator,
  'lib/management/doctor.ts': operator,
  'lib/oauth/back-channel.ts': service,
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
