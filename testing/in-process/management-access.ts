// Which callers each address of the management API must accept; `everybody`: every token. Written apart from the routes
// and from policy.ts, so that a mistake there is found: a test calls every address as everybody in turn.
import type { Role } from '#lib/registry/index.ts';

type Access = 'everybody' | readonly Role[];

const ADMINISTRATOR: Access = ['administrator'];
const DEVELOPER: Access = ['administrator', 'developer'];
const APPROVER: Access = ['administrator', 'approver'];
const STAFF: Access = ['administrator', 'approver', 'developer'];

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /me': 'everybody',
  'PATCH /me': 'everybody',
  'PUT /me/password': 'everybody',
  'GET /me/data': 'everybody',
  'GET /me/sessions': 'everybody',
  'DELETE /me/sessions': 'everybody',
  'DELETE /me/sessions/:id': 'everybody',
  'GET /me/consents': 'everybody',
  'DELETE /me/consents/:id': 'everybody',
  'GET /me/delegations': 'everybody',
  'DELETE /me/delegations/:id': 'everybody',
  'GET /me/sign-ins': 'everybody',
  'GET /overview': 'everybody',

  'GET /clients': DEVELOPER,
  'POST /clients': DEVELOPER,
  'GET /clients/:client_id': DEVELOPER,
  'PATCH /clients/:client_id': DEVELOPER,
  'POST /explanations': DEVELOPER,
  'POST /clients/:client_id/preview': DEVELOPER,
  'GET /clients/:client_id/logo': DEVELOPER,
  'PUT /clients/:client_id/logo': DEVELOPER,
  'DELETE /clients/:client_id/logo': DEVELOPER,
  'GET /clients/:client_id/deletion': DEVELOPER,
  'DELETE /clients/:client_id': DEVELOPER,
  'GET /clients/:client_id/revocation': DEVELOPER,
  'POST /clients/:client_id/revocation': DEVELOPER,
  'POST /clients/:client_id/disable': DEVELOPER,
  'POST /clients/:client_id/enable': ADMINISTRATOR,
  'POST /clients/:client_id/secrets': DEVELOPER,
  'POST /clients/:client_id/secret-rotation': DEVELOPER,
  'DELETE /clients/:client_id/secrets/:secret_id': DEVELOPER,
  'GET /clients/:client_id/requests': DEVELOPER,

  'GET /catalogue': DEVELOPER,
  'GET /subscriptions': STAFF,
  'POST /subscriptions': DEVELOPER,
  'GET /subscriptions/:client_id/:api': STAFF,
  'PATCH /subscriptions/:client_id/:api': DEVELOPER,
  'POST /subscriptions/:client_id/:api/preview': DEVELOPER,
  'DELETE /subscriptions/:client_id/:api': DEVELOPER,
  'POST /subscriptions/:client_id/:api/decision': APPROVER,
  'DELETE /subscriptions/:client_id/:api/decision': APPROVER,
  'PATCH /subscriptions/:client_id/:api/terms': APPROVER,
  'GET /inbox': APPROVER,
  'POST /inbox/decisions': APPROVER,

  'GET /apis': ADMINISTRATOR,
  'POST /apis': ADMINISTRATOR,
  'GET /apis/:id': ADMINISTRATOR,
  'PATCH /apis/:id': ADMINISTRATOR,
  'POST /apis/:id/preview': ADMINISTRATOR,
  'GET /apis/:id/logo': ADMINISTRATOR,
  'PUT /apis/:id/logo': ADMINISTRATOR,
  'DELETE /apis/:id/logo': ADMINISTRATOR,
  'GET /apis/:id/deletion': ADMINISTRATOR,
  'DELETE /apis/:id': ADMINISTRATOR,
  'POST /apis/:id/introspection-secret': ADMINISTRATOR,
  'GET /auth-methods': ADMINISTRATOR,
  'POST /auth-methods': ADMINISTRATOR,
  'GET /auth-methods/:id': ADMINISTRATOR,
  'PATCH /auth-methods/:id': ADMINISTRATOR,
  'POST /auth-methods/:id/preview': ADMINISTRATOR,
  'GET /auth-methods/:id/deletion': ADMINISTRATOR,
  'DELETE /auth-methods/:id': ADMINISTRATOR,

  'GET /people': ADMINISTRATOR,
  'POST /people': ADMINISTRATOR,
  'GET /people/:id': ADMINISTRATOR,
  'GET /people/:id/data': ADMINISTRATOR,
  'PATCH /people/:id': ADMINISTRATOR,
  'DELETE /people/:id': ADMINISTRATOR,
  'POST /people/:id/disable': ADMINISTRATOR,
  'POST /people/:id/enable': ADMINISTRATOR,
  'PUT /people/:id/password': ADMINISTRATOR,
  'POST /people/:id/password-reset': ADMINISTRATOR,
  'POST /people/:id/reset-factors': ADMINISTRATOR,
  'PUT /people/:id/roles/:role': ADMINISTRATOR,
  'DELETE /people/:id/roles/:role': ADMINISTRATOR,
  'DELETE /people/:id/sessions': ADMINISTRATOR,

  'POST /invitations': ADMINISTRATOR,
  'GET /invitations': ADMINISTRATOR,
  'DELETE /invitations/:id': ADMINISTRATOR,
  'GET /registrations': APPROVER,
  'GET /registrations/:id': APPROVER,
  'POST /registrations/:id/approval': APPROVER,
  'POST /registrations/:id/rejection': APPROVER,
  'GET /sessions': ADMINISTRATOR,
  'DELETE /sessions/:id': ADMINISTRATOR,
  'GET /keys': ADMINISTRATOR,
  'POST /keys/rotation': ADMINISTRATOR,
  'GET /keys/:kid/retirement': ADMINISTRATOR,
  'DELETE /keys/:kid': ADMINISTRATOR,
  'GET /audit': ADMINISTRATOR,
  'POST /service/mail/test': ADMINISTRATOR,
};

/** A route that changes nothing, also a POST. */
export const onlyReads = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'GET' || path.endsWith('/preview') || path === '/explanations';
