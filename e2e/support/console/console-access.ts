// Permissions for the console's pages; console-form-access.ts lists those for its forms. app/(console)/access.test.ts
// fails for a page or form without a row, and e2e/browser/console/console-access.spec.ts tests every row.

export const VISITORS = ['nobody', 'endUser', 'developer', 'approver', 'administrator'] as const;
export type Visitor = (typeof VISITORS)[number];
/** 200: page. `sign-in`: sign-in form instead. 303: redirect to the equivalent administrator page. */
export type Seen = 200 | 303 | 403 | 404 | 'sign-in';
export type Row<Value> = readonly [
  nobody: Value,
  endUser: Value,
  developer: Value,
  approver: Value,
  administrator: Value,
];

const OPEN: Row<Seen> = [200, 200, 200, 200, 200];
const ACCOUNT: Row<Seen> = ['sign-in', 200, 200, 200, 200];
const DEVELOPERS: Row<Seen> = ['sign-in', 403, 200, 403, 200];
/** a client of the developer who sends the request: administrators see every client */
const OWN_CLIENT: Row<Seen> = ['sign-in', 403, 200, 403, 303];
/** pages about a client of another user, and unknown addresses below the developer's own client */
const ANOTHERS_CLIENT: Row<Seen> = ['sign-in', 403, 404, 403, 303];
const UNKNOWN: Row<Seen> = ['sign-in', 403, 404, 403, 404];
const DECIDERS: Row<Seen> = ['sign-in', 403, 403, 200, 200];
/** request for another approver's API */
const ANOTHERS_REQUEST: Row<Seen> = ['sign-in', 403, 403, 404, 200];
const NOT_FOUND_BY_DECIDERS: Row<Seen> = ['sign-in', 403, 403, 404, 404];
const ADMINISTRATORS: Row<Seen> = ['sign-in', 403, 403, 403, 200];
const NOT_THERE: Row<Seen> = ['sign-in', 403, 403, 403, 404];

/** The pages of the console with the response to each visitor. Tests replace names in braces. */
export const PAGES: readonly (readonly [page: string, address: string, row: Row<Seen>])[] = [
  ['/account', '/account', ACCOUNT],
  ['/account/address', '/account/address', ACCOUNT],
  ['/account/again', '/account/again', ACCOUNT],
  ['/account/agents', '/account/agents', ACCOUNT],
  ['/account/data', '/account/data', ACCOUNT],
  ['/account/delete', '/account/delete', ACCOUNT],
  ['/account/device', '/account/device?session=none', ACCOUNT],
  ['/account/forgot-password', '/account/forgot-password', OPEN],
  ['/account/mail', '/account/mail', OPEN],
  ['/account/new-password', '/account/new-password?owed=none', OPEN],
  ['/account/password', '/account/password', ACCOUNT],
  ['/account/reset-password', '/account/reset-password?token=none', OPEN],
  ['/account/security', '/account/security', ACCOUNT],
  ['/account/security/add', '/account/security/add', ACCOUNT],
  ['/account/security/app', '/account/security/app?id=none', ACCOUNT],
  ['/account/security/passkey', '/account/security/passkey?id=none', ACCOUNT],
  ['/account/security/replace', '/account/security/replace', ACCOUNT],
  ['/account/sign-ins', '/account/sign-ins', ACCOUNT],
  ['/account/verify-email', '/account/verify-email?token=none', OPEN],
  ['/account/links', '/account/links', ACCOUNT],
  ['/account/links/join', '/account/links/join?proof=none', ACCOUNT],

  ['/developer', '/developer', DEVELOPERS],
  ['/developer/catalogue', '/developer/catalogue', DEVELOPERS],
  ['/developer/clients/new', '/developer/clients/new', DEVELOPERS],
  ['/developer/clients/[clientId]', '/developer/clients/{own}', OWN_CLIENT],
  ['/developer/clients/[clientId]', '/developer/clients/{other}', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]', '/developer/clients/no-such-client', UNKNOWN],
  ['/developer/clients/[clientId]/apis/[apiId]', '/developer/clients/{own}/apis/orders', OWN_CLIENT],
  ['/developer/clients/[clientId]/apis/[apiId]', '/developer/clients/{other}/apis/orders', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/apis/[apiId]', '/developer/clients/{own}/apis/no', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/brand', '/developer/clients/{own}/brand', OWN_CLIENT],
  ['/developer/clients/[clientId]/brand', '/developer/clients/{other}/brand', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/code', '/developer/clients/{own}/code', OWN_CLIENT],
  ['/developer/clients/[clientId]/code', '/developer/clients/{other}/code', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{own}/delete', OWN_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{other}/delete', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/edit', '/developer/clients/{own}/edit', OWN_CLIENT],
  ['/developer/clients/[clientId]/edit', '/developer/clients/{other}/edit', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/why', '/developer/clients/{own}/why', OWN_CLIENT],
  ['/developer/clients/[clientId]/why', '/developer/clients/{other}/why', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/requests', '/developer/clients/{own}/requests', OWN_CLIENT],
  ['/developer/clients/[clientId]/requests', '/developer/clients/{other}/requests', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{own}/revoke', OWN_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{other}/revoke', ANOTHERS_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{own}/disable', OWN_CLIENT],
  ['/developer/clients/[clientId]/[question]', '/developer/clients/{own}/no', ANOTHERS_CLIENT],
  [
    '/developer/clients/[clientId]/apis/[apiId]/cancel',
    '/developer/clients/{own}/apis/orders/cancel',
    OWN_CLIENT,
  ],
  ['/developer/expiring', '/developer/expiring', DEVELOPERS],
  ['/developer/find', '/developer/find?q=shop', DEVELOPERS],
  ['/developer/playground', '/developer/playground', DEVELOPERS],

  ['/admin', '/admin', DECIDERS],
  ['/admin/approvals', '/admin/approvals', DECIDERS],
  ['/admin/apis', '/admin/apis', ADMINISTRATORS],
  ['/admin/apis/new', '/admin/apis/new', ADMINISTRATORS],
  ['/admin/apis/[apiId]', '/admin/apis/orders', ADMINISTRATORS],
  ['/admin/apis/[apiId]', '/admin/apis/no-such-api', NOT_THERE],
  ['/admin/apis/[apiId]/brand', '/admin/apis/orders/brand', ADMINISTRATORS],
  ['/admin/apis/[apiId]/credential', '/admin/apis/orders/credential', ADMINISTRATORS],
  ['/admin/apis/[apiId]/delete', '/admin/apis/orders/delete', ADMINISTRATORS],
  ['/admin/apis/[apiId]/edit', '/admin/apis/orders/edit', ADMINISTRATORS],
  ['/admin/apis/[apiId]/texts', '/admin/apis/orders/texts', ADMINISTRATORS],
  ['/admin/apis/[apiId]/texts', '/admin/apis/no-such-api/texts', NOT_THERE],
  ['/admin/apis/[apiId]/why', '/admin/apis/orders/why', DECIDERS],
  ['/admin/apis/[apiId]/why', '/admin/apis/{guarded}/why', ANOTHERS_REQUEST],
  ['/admin/apis/[apiId]/why', '/admin/apis/no-such-api/why', NOT_FOUND_BY_DECIDERS],
  ['/admin/audit', '/admin/audit', ADMINISTRATORS],
  ['/admin/audit/[eventId]', '/admin/audit/{event}', ADMINISTRATORS],
  ['/admin/audit/[eventId]', '/admin/audit/no-such-event', NOT_THERE],
  ['/admin/auth-methods', '/admin/auth-methods', ADMINISTRATORS],
  ['/admin/auth-methods/new', '/admin/auth-methods/new', ADMINISTRATORS],
  ['/admin/auth-methods/[methodId]', '/admin/auth-methods/pw', ADMINISTRATORS],
  ['/admin/auth-methods/[methodId]', '/admin/auth-methods/no-such-method', NOT_THERE],
  ['/admin/auth-methods/[methodId]/delete', '/admin/auth-methods/pw/delete', ADMINISTRATORS],
  ['/admin/auth-methods/[methodId]/edit', '/admin/auth-methods/pw/edit', ADMINISTRATORS],
  ['/admin/auth-methods/[methodId]/test', '/admin/auth-methods/pw/test', ADMINISTRATORS],
  ['/admin/clients', '/admin/clients', ADMINISTRATORS],
  ['/admin/clients/new', '/admin/clients/new', ADMINISTRATORS],
  ['/admin/clients/[clientId]', '/admin/clients/{own}', ADMINISTRATORS],
  ['/admin/clients/[clientId]', '/admin/clients/no-such-client', NOT_THERE],
  ['/admin/clients/[clientId]/brand', '/admin/clients/{own}/brand', ADMINISTRATORS],
  ['/admin/clients/[clientId]/code', '/admin/clients/{own}/code', ADMINISTRATORS],
  ['/admin/clients/[clientId]/[question]', '/admin/clients/{own}/delete', ADMINISTRATORS],
  ['/admin/clients/[clientId]/[question]', '/admin/clients/{own}/disable', ADMINISTRATORS],
  ['/admin/clients/[clientId]/edit', '/admin/clients/{own}/edit', ADMINISTRATORS],
  ['/admin/clients/[clientId]/requests', '/admin/clients/{own}/requests', ADMINISTRATORS],
  ['/admin/clients/[clientId]/[question]', '/admin/clients/{own}/revoke', ADMINISTRATORS],
  ['/admin/clients/[clientId]/texts', '/admin/clients/{own}/texts', ADMINISTRATORS],
  ['/admin/clients/[clientId]/why', '/admin/clients/{own}/why', ADMINISTRATORS],
  ['/admin/connections', '/admin/connections', ADMINISTRATORS],
  ['/admin/find', '/admin/find?q=shop', DECIDERS],
  ['/admin/groups', '/admin/groups', ADMINISTRATORS],
  ['/admin/groups/new', '/admin/groups/new', ADMINISTRATORS],
  ['/admin/groups/[groupId]', '/admin/groups/{group}', ADMINISTRATORS],
  ['/admin/groups/[groupId]', '/admin/groups/no-such-group', NOT_THERE],
  ['/admin/groups/[groupId]/delete', '/admin/groups/{group}/delete', ADMINISTRATORS],
  ['/admin/groups/[groupId]/edit', '/admin/groups/{group}/edit', ADMINISTRATORS],
  ['/admin/keys', '/admin/keys', ADMINISTRATORS],
  ['/admin/service', '/admin/service', ADMINISTRATORS],
  ['/admin/keys/[kid]/retire', '/admin/keys/{kid}/retire', ADMINISTRATORS],
  ['/admin/keys/[kid]/retire', '/admin/keys/no-such-key/retire', NOT_THERE],
  ['/admin/mails', '/admin/mails', ADMINISTRATORS],
  ['/admin/people', '/admin/people', ADMINISTRATORS],
  ['/admin/people/invitations', '/admin/people/invitations', ADMINISTRATORS],
  ['/admin/people/new', '/admin/people/new', ADMINISTRATORS],
  ['/admin/people/[personId]', '/admin/people/{person}', ADMINISTRATORS],
  ['/admin/people/[personId]', '/admin/people/no-such-person', NOT_THERE],
  ['/admin/people/[personId]/access', '/admin/people/{person}/access', ADMINISTRATORS],
  ['/admin/people/[personId]/sign-in', '/admin/people/{person}/sign-in', ADMINISTRATORS],
  ['/admin/people/[personId]/[question]', '/admin/people/{person}/delete', ADMINISTRATORS],
  ['/admin/people/[personId]/[question]', '/admin/people/{person}/disable', ADMINISTRATORS],
  ['/admin/people/[personId]/[question]', '/admin/people/{person}/sign-out', ADMINISTRATORS],
  ['/admin/people/[personId]/[question]', '/admin/people/{person}/grant-administrator', ADMINISTRATORS],
  ['/admin/people/[personId]/[question]', '/admin/people/{person}/grant-everything', NOT_THERE],
  ['/admin/sessions', '/admin/sessions', ADMINISTRATORS],
  ['/admin/subscriptions', '/admin/subscriptions', DECIDERS],
  ['/admin/subscriptions/[clientId]/[apiId]', '/admin/subscriptions/{own}/orders', DECIDERS],
  ['/admin/subscriptions/[clientId]/[apiId]', '/admin/subscriptions/{own}/{guarded}', ANOTHERS_REQUEST],
];
