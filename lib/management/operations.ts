// Every operation, and whether it wants a fresh sign-in: one of the last minutes, so that neither a console that was left
// open nor an old token of the management API leads to power. An operation that is not in here does not compile.
import type { Action } from './policy.ts';

/**
 * `always`: refused before it begins, once the actor's right (the least of those that will do) is asked for. `sometimes`:
 * the operation asks itself, where it says. `never`: it reads, takes away, waits for an approval, or is proved otherwise.
 */
export type Freshness = { fresh: 'always'; right: Action } | { fresh: 'sometimes' } | { fresh: 'never' };

const always = (right: Action): Freshness => ({ fresh: 'always', right });
const sometimes: Freshness = { fresh: 'sometimes' };
const never: Freshness = { fresh: 'never' };

const TABLE = {
  enter: never,

  // one's own: a new password is proved by the old one
  readMyProfile: never,
  changeMyName: never,
  changeMyPassword: never,
  requestEmailVerification: never,
  listMySessions: never,
  endMySession: never,
  endMySessions: never,
  listMySignIns: never,
  listMyConsents: never,
  withdrawConsent: never,

  createPerson: always('people.manage'),
  findPerson: never,
  pagePeople: never,
  readPerson: never,
  // another address: whoever reads its mail can choose the password
  changePerson: sometimes,
  disablePerson: never,
  enablePerson: always('people.manage'),
  deletePerson: always('people.manage'),
  setPassword: always('people.manage'),
  // goes to the address that is there
  sendPasswordReset: never,
  grantRole: always('people.manage'),
  revokeRole: always('people.manage'),
  pageSessions: never,
  endSession: never,
  endSessionsOf: never,
  invalidateIssued: never,

  createClient: never,
  pageClients: never,
  readClient: never,
  pageClientRequests: never,
  // redirect URIs, kind or owner of a client that is trusted, or may use the management API
  changeClient: sometimes,
  previewClientChange: never,
  previewClientDeletion: never,
  deleteClient: never,
  disableClient: never,
  enableClient: always('clients.manage-all'),
  // of such a client
  addSecret: sometimes,
  rotateClientSecret: sometimes,
  dropSecret: never,

  listCatalogue: never,
  pageSubscriptions: never,
  pageInbox: never,
  readSubscription: never,
  requestSubscription: never,
  changeSubscription: never,
  previewSubscriptionChange: never,
  cancelSubscription: never,
  // what lets in
  decideSubscription: sometimes,
  // the configuration file's, which brings its approver
  settleSubscription: never,

  // who may sign in, and who decides
  pageApis: never,
  readApi: never,
  createApi: always('registry.manage'),
  changeApi: always('registry.manage'),
  previewApiChange: never,
  previewApiDeletion: never,
  deleteApi: never,
  renewIntrospectionSecret: always('registry.manage'),
  pageAuthMethods: never,
  readAuthMethod: never,
  createAuthMethod: always('registry.manage'),
  changeAuthMethod: always('registry.manage'),
  previewAuthMethodChange: never,
  previewAuthMethodDeletion: never,
  deleteAuthMethod: never,

  listSigningKeys: never,
  rotateSigningKeys: always('keys.manage'),
  previewKeyRetirement: never,
  retireSigningKey: always('keys.manage'),
  resealSecrets: never,

  pageAudit: never,
  readOverview: never,
} as const satisfies Record<string, Freshness>;

export type OperationName = keyof typeof TABLE;
export const OPERATIONS: Readonly<Record<OperationName, Freshness>> = TABLE;
