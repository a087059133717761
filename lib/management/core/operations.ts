// Every operation: the right that it takes, whether it wants a fresh sign-in (one of the last minutes, so that neither
// a console that was left open nor an old token of the management API leads to power), and what its statements run on.
// An operation that is not in here does not compile.
import type { Action } from './policy.ts';

export type Terms = {
  /** asked for first; null: the operation asks itself, since what it takes follows from what is asked */
  right: Action | null;
  /**
   * `sometimes`: the operation asks itself. `never`: it reads, takes away, waits for an approval, or is proved
   * otherwise
   */
  fresh: 'always' | 'sometimes' | 'never';
  /** `edit`: a transaction within the limits of a client's owner (quotas.ts). `pool`: it opens its own, or none */
  runsOn: 'pool' | 'transaction' | 'edit';
};
type Fresh = Terms['fresh'];

const plain = (right: Action | null, fresh: Fresh = 'never'): Terms => ({ right, fresh, runsOn: 'pool' });
const change = (right: Action | null, fresh: Fresh = 'never'): Terms => ({
  right,
  fresh,
  runsOn: 'transaction',
});
const edit = (right: Action | null, fresh: Fresh = 'never'): Terms => ({ right, fresh, runsOn: 'edit' });

const TABLE = {
  enter: plain(null),

  // one's own: a new password is proved by the old one
  readMyProfile: plain('account.read'),
  changeMyProfile: change('account.change'),
  changeMyPassword: plain('account.change'),
  requestEmailVerification: plain('account.change'),
  // a reader of its mail can choose the password
  startAddressChange: plain('account.change', 'always'),
  readAddressChange: plain('account.read'),
  finishAddressChange: plain('account.change', 'always'),
  listMySessions: plain('account.read'),
  nameMyDevice: change('account.change'),
  endMySession: change('account.change'),
  endMySessions: change('account.change'),
  listMySignIns: plain('account.read'),
  listMyConsents: plain('account.read'),
  withdrawConsent: change('account.change'),
  // all of it at once
  readMyData: plain('account.read', 'always'),
  // there is no way back
  previewMyDeletion: plain('account.read'),
  deleteMyAccount: plain('account.change', 'always'),
  listMyDelegations: plain('account.read'),
  listMyAgents: plain('account.read'),
  // it lasts longer than a sign-in
  giveDelegation: change('account.change', 'always'),
  endMyDelegation: change('account.change'),

  // what signs one in: a session that was left open must not gain or lose a factor
  readMyFactors: plain('account.read'),
  addMyTotp: plain('account.change', 'always'),
  addMyPasskey: plain('account.change', 'always'),
  renameMyPasskey: plain('account.change', 'always'),
  renameMyTotp: plain('account.change', 'always'),
  replaceMyTotp: plain('account.change', 'always'),
  removeMyPasskey: plain('account.change', 'always'),
  removeMyTotp: plain('account.change', 'always'),
  renewMyRecoveryCodes: plain('account.change', 'always'),
  forgetMyBrowsers: change('account.change'),

  // what signs one in is as good as the password
  listMyLinks: plain('account.read'),
  startLink: plain('account.change', 'always'),
  proveLink: plain('account.change', 'always'),
  readJoin: plain('account.read'),
  linkIdentity: change('account.change', 'always'),
  unlinkIdentity: change('account.change', 'always'),

  createPerson: plain('people.manage', 'always'),
  invitePeople: plain('people.manage', 'always'),
  listInvitingMethods: plain('people.read'),
  pageInvitations: plain('people.read'),
  withdrawInvitation: change('people.manage'),
  // an account of a stranger
  pageWaitingPeople: plain('people.decide'),
  readWaitingPerson: plain('people.decide'),
  approvePerson: plain('people.decide', 'always'),
  rejectPerson: plain('people.decide'),
  findPerson: plain('people.read'),
  pagePeople: plain('people.read'),
  readPerson: plain('people.read'),
  // all of it at once
  readPersonData: plain('people.read', 'always'),
  // another address: a reader of its mail can choose the password
  changePerson: plain('people.manage', 'sometimes'),
  disablePerson: change('people.manage'),
  enablePerson: change('people.manage', 'always'),
  deletePerson: change('people.manage', 'always'),
  // hashes and ids are written as the file has them: at the host only
  importPeople: plain('people.manage', 'always'),
  importTokens: plain('people.manage', 'always'),
  undoImport: plain('people.manage', 'always'),
  setPassword: plain('people.manage', 'always'),
  // goes to the address that is there
  sendPasswordReset: plain('people.manage'),
  grantRole: change('people.manage', 'always'),
  revokeRole: change('people.manage', 'always'),
  // who is in a group may have what it is for
  pageGroups: plain('groups.read'),
  listGroupNames: plain('groups.read'),
  readGroup: plain('groups.read'),
  listGroupUses: plain('groups.read'),
  listPersonGroups: plain('groups.read'),
  previewGroupChange: plain('groups.read'),
  previewGroupDeletion: plain('groups.read'),
  pageGroupMembers: plain('groups.read'),
  createGroup: change('groups.manage', 'always'),
  changeGroup: change('groups.manage', 'always'),
  deleteGroup: change('groups.manage'),
  addGroupMember: change('groups.manage', 'always'),
  removeGroupMember: change('groups.manage'),
  setPersonGroups: change('groups.manage', 'always'),
  pageSessions: plain('sessions.read'),
  endSession: change('sessions.end'),
  endSessionsOf: change('sessions.end'),
  // for a person who lost them: a stranger who says so must not get an administrator's session to do it
  resetFactors: plain('people.manage', 'always'),
  previewPersonStep: plain('people.read'),
  readSecondFactors: plain('people.read'),
  invalidateIssued: plain('people.manage'),

  // the authorization servers that the service vouches for people to
  createClient: plain('clients.create', 'sometimes'),
  pageClients: plain(null),
  readClient: plain(null),
  pageClientRequests: plain(null),
  // asks for the right to read people where it is about another person
  explainAccess: plain(null),
  // each part asks for its own right
  findAnything: plain(null),
  inspectToken: plain(null),
  // the same; name, redirect URIs, keys, kind or owner of a client on which consents or approvals rest
  // (client-access.ts)
  changeClient: plain(null, 'sometimes'),
  previewClientChange: plain(null),
  previewClientDeletion: plain(null),
  deleteClient: edit(null),
  previewClientRevocation: plain(null),
  revokeClient: edit(null),
  previewClientDisabling: plain(null),
  disableClient: edit(null),
  // only administrators let in again what an administrator may have shut out
  enableClient: edit('clients.manage-all', 'always'),
  // of such a client
  addSecret: edit(null, 'sometimes'),
  rotateClientSecret: edit(null, 'sometimes'),
  previewSecretEnd: plain(null),
  dropSecret: edit(null),

  listCatalogue: plain('subscriptions.see-own'),
  pageSubscriptions: plain(null),
  pageInbox: plain('subscriptions.decide'),
  listWaitingApis: plain('subscriptions.decide'),
  readSubscription: plain(null),
  requestSubscription: plain('subscriptions.request'),
  changeSubscription: plain('subscriptions.request'),
  previewSubscriptionChange: plain('subscriptions.see-own'),
  previewDecision: plain('subscriptions.decide'),
  previewCancelling: plain('subscriptions.see-own'),
  cancelSubscription: edit('subscriptions.request'),
  // what lets in
  decideSubscription: plain('subscriptions.decide', 'sometimes'),
  decideSubscriptions: plain('subscriptions.decide', 'sometimes'),
  // it takes away, or lets a request wait again
  undoDecision: plain('subscriptions.decide'),
  changeTerms: change('subscriptions.decide', 'always'),
  // the configuration file's, which brings its approver
  settleSubscription: change(null),

  // who may sign in, and who decides
  pageApis: plain('registry.read'),
  readApi: plain('registry.read'),
  readDecidedApi: plain('subscriptions.decide'),
  readApiLogo: plain('registry.read'),
  readClientLogo: plain(null),
  // what they change, changeApi and changeClient do
  setApiLogo: plain('registry.manage', 'always'),
  setClientLogo: plain(null),
  createApi: change('registry.manage', 'always'),
  changeApi: change('registry.manage', 'always'),
  previewApiChange: plain('registry.read'),
  previewApiDeletion: plain('registry.read'),
  deleteApi: change('registry.manage'),
  previewIntrospectionSecret: plain('registry.read'),
  renewIntrospectionSecret: change('registry.manage', 'always'),
  pageAuthMethods: plain('registry.read'),
  readAuthMethod: plain('registry.read'),
  createAuthMethod: change('registry.manage', 'always'),
  changeAuthMethod: change('registry.manage', 'always'),
  previewAuthMethodChange: plain('registry.read'),
  previewAuthMethodDeletion: plain('registry.read'),
  deleteAuthMethod: change('registry.manage'),

  // to the caller's own address
  testMail: plain('registry.manage'),
  testAuditWebhook: plain('registry.manage'),
  // with the secret that is stored, at the addresses that are stored
  testAuthMethod: plain('registry.manage'),
  testAuthMethodInput: plain('registry.manage'),

  listSigningKeys: plain('keys.read'),
  rotateSigningKeys: plain('keys.manage', 'always'),
  previewKeyRetirement: plain('keys.read'),
  retireSigningKey: plain('keys.manage', 'always'),
  resealSecrets: plain('keys.manage'),

  listMailPreviews: plain('registry.read'),
  previewMail: plain('registry.read'),
  // to the caller's own address
  sendMailPreview: plain('registry.manage'),

  pageAudit: plain('audit.read'),
  readAuditEvent: plain('audit.read'),
  exportAudit: plain('audit.read'),
  readUsage: plain('audit.read'),
  // one's own applications, or all
  listExpiring: plain(null),
  readService: plain('audit.read'),
  readFirstDay: plain('audit.read'),
  markFirstDay: change('registry.manage'),
  readFirstToken: plain('clients.see-own'),
  putChecklistAway: change(null),
  readOverview: plain('account.read'),
} as const satisfies Record<string, Terms>;

export type OperationName = keyof typeof TABLE;
export const OPERATIONS: Readonly<Record<OperationName, Terms>> = TABLE;
export const OPERATION_NAMES = Object.keys(TABLE) as OperationName[];
