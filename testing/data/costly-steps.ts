// Each file that takes a costly step (hashing a password, an outgoing call, decoding a picture, rendering a document),
// with the caller that can cause it and the number of its steps. A new step needs its count, and a new file its row.

type Cause =
  /** the file is itself a step or a part of one; it is called by other files of this list */
  | 'part'
  /** the step can be caused by a user with a session or a role, or by the operator of the host */
  | 'signed-in'
  | 'operator'
  /** background work of the service, at a limited rate */
  | 'service'
  /** a caller without a session: lib/costly-steps.db.test.ts causes it with its limit used up */
  | 'anybody';

/**
 * `calls`: number of steps that lib/costly-steps.test.ts finds in the file, including declarations and imports of
 * `verifyPassword`
 */
type Row = { by: Cause; calls: number };

export const COSTLY: Record<string, Row> = {
  'lib/kit/password-hash.ts': { by: 'part', calls: 4 },
  'lib/auth-methods/local.ts': { by: 'part', calls: 6 },
  'lib/catalogue/methods/external/external-kind.ts': { by: 'part', calls: 1 },
  'lib/sign-in/steps.ts': { by: 'anybody', calls: 5 },
  'lib/oauth/grants/grant.ts': { by: 'anybody', calls: 1 },
  'lib/oauth/former.ts': { by: 'anybody', calls: 1 },
  'lib/oauth/issuer.ts': { by: 'service', calls: 1 },
  'lib/oauth/client-authentication.ts': { by: 'anybody', calls: 2 },
  'lib/accounts/password-policy.ts': { by: 'anybody', calls: 8 },
  'lib/accounts/registration.ts': { by: 'anybody', calls: 1 },
  'lib/management/mail-links.ts': { by: 'anybody', calls: 1 },
  'lib/management/my-account.ts': { by: 'signed-in', calls: 2 },
  'lib/catalogue/people/operations.ts': { by: 'operator', calls: 5 },
  'lib/config/apply.ts': { by: 'operator', calls: 3 },
  'lib/auth-methods/broker-discovery.ts': { by: 'anybody', calls: 1 },
  'lib/oauth/client-documents.ts': { by: 'anybody', calls: 1 },
  'lib/oauth/client-logo.ts': { by: 'anybody', calls: 2 },
  'lib/tokens/client-assertion.ts': { by: 'anybody', calls: 1 },
  'lib/catalogue/clients/operations.ts': { by: 'signed-in', calls: 1 },
  'lib/management/connection-steps.ts': { by: 'operator', calls: 1 },
  'packages/doctor-mcp/src/doctor-mcp.ts': { by: 'operator', calls: 1 },
  'lib/management/doctor.ts': { by: 'operator', calls: 3 },
  'lib/oauth/back-channel.ts': { by: 'service', calls: 1 },
  'lib/audit/webhook.ts': { by: 'service', calls: 1 },
  'lib/outbound/fetch.ts': { by: 'part', calls: 1 },
  'lib/pictures/draw.ts': { by: 'part', calls: 1 },
  'lib/management/brand.ts': { by: 'signed-in', calls: 1 },
  'lib/config/brands.ts': { by: 'operator', calls: 2 },
  'lib/openapi/document.ts': { by: 'part', calls: 1 },
  'lib/reference/openapi.ts': { by: 'anybody', calls: 1 },
  'lib/management-api/openapi.ts': { by: 'anybody', calls: 1 },
  'app/_html/html-page.ts': { by: 'anybody', calls: 1 },
};

export const BY_ANYBODY: readonly string[] = Object.keys(COSTLY).filter(
  (file) => COSTLY[file]?.by === 'anybody',
);
