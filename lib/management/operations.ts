// Table of operations: required right, rule for a recent sign-in, database handle. A missing operation does not
// compile. A recent sign-in is at most a few minutes old. Therefore nobody can run such an operation with a console
// that the user left open, or with an old token for the management API.

import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { log } from '#lib/kit/log.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { sendLimited } from '#lib/mail/mail.ts';
import { settings } from '#lib/settings/settings.ts';
import { attemptLimit, beginAttempt } from '#lib/store/hot/limits.ts';
import { type Holdings, lockOwner, selectHoldings } from '#lib/store/people.ts';
import { currentConnection, type Db, inTransaction } from '#lib/store/prisma.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { type Action, type Actor, isHost, nameOf, requireAction, requireRecent } from './policy.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';

export type Terms = {
  /** right that is checked first; `null`: the operation itself checks the right, because it depends on the input */
  right: Action | null;
  /**
   * `sometimes`: the operation decides whether to require a recent sign-in. `never`: the operation only reads or
   * removes, needs an approval, or requires another proof
   */
  fresh: 'always' | 'sometimes' | 'never';
  /** `edit`: one transaction, within the limits of client owners. `pool`: separate transactions, or none */
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

  // own account: changing the password requires the old password, and therefore no recent sign-in
  readMyProfile: plain('account.read'),
  changeMyProfile: change('account.change'),
  changeMyPassword: plain('account.change'),
  requestEmailVerification: plain('account.change'),
  // a person who reads mails to the new address can reset the password
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
  // all data of the account at once
  readMyData: plain('account.read', 'always'),
  // deletion cannot be undone
  previewMyDeletion: plain('account.read'),
  deleteMyAccount: plain('account.change', 'always'),
  listMyDelegations: plain('account.read'),
  listMyAgents: plain('account.read'),
  // a delegation outlives the sign-in
  giveDelegation: change('account.change', 'always'),
  endMyDelegation: change('account.change'),

  // sign-in factors: an unattended session must not be able to add or remove a factor
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

  // a linked sign-in method is equivalent to a password
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
  // decisions about accounts of strangers
  pageWaitingPeople: plain('people.decide'),
  readWaitingPerson: plain('people.decide'),
  approvePerson: plain('people.decide', 'always'),
  rejectPerson: plain('people.decide'),
  findPerson: plain('people.read'),
  pagePeople: plain('people.read'),
  readPerson: plain('people.read'),
  // all data of a person at once
  readPersonData: plain('people.read', 'always'),
  // a person who reads mails to the new address can reset the password
  changePerson: plain('people.manage', 'sometimes'),
  disablePerson: change('people.manage'),
  enablePerson: change('people.manage', 'always'),
  deletePerson: change('people.manage', 'always'),
  // only for the operator on the host: hashes and ids are written unchanged
  importPeople: plain('people.manage', 'always'),
  importTokens: plain('people.manage', 'always'),
  undoImport: plain('people.manage', 'always'),
  setPassword: plain('people.manage', 'always'),
  // the mail is sent to the existing address
  sendPasswordReset: plain('people.manage'),
  grantRole: change('people.manage', 'always'),
  revokeRole: change('people.manage', 'always'),
  // membership in a group grants scopes and access
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
  // for lost factors: an impostor must not be able to use an administrator's unattended session
  resetFactors: plain('people.manage', 'always'),
  previewPersonStep: plain('people.read'),
  readSecondFactors: plain('people.read'),
  invalidateIssued: plain('people.manage'),

  // requires a recent sign-in for `idJagAudiences`, which are authorization servers to which the service vouches for
  // people
  createClient: plain('clients.create', 'sometimes'),
  pageClients: plain(null),
  readClient: plain(null),
  pageClientRequests: plain(null),
  // a question about another user requires the right to read people
  explainAccess: plain(null),
  // each part of the search checks a separate right
  findAnything: plain(null),
  inspectToken: plain(null),
  // requires a recent sign-in for new `idJagAudiences`, and for name, redirect URIs, keys, kind or owner of a client
  // on which consents or approvals depend (client-access.ts)
  changeClient: plain(null, 'sometimes'),
  previewClientChange: plain(null),
  previewClientDeletion: plain(null),
  deleteClient: edit(null),
  previewClientRevocation: plain(null),
  revokeClient: edit(null),
  previewClientDisabling: plain(null),
  disableClient: edit(null),
  // if an administrator disabled the client, only administrators can enable it
  enableClient: edit('clients.manage-all', 'always'),
  // requires a recent sign-in for a client on which consents or approvals depend
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
  // requires a recent sign-in for decisions that grant access
  decideSubscription: plain('subscriptions.decide', 'sometimes'),
  decideSubscriptions: plain('subscriptions.decide', 'sometimes'),
  // revokes access, or returns a request to pending
  undoDecision: plain('subscriptions.decide'),
  undoDecisions: plain('subscriptions.decide'),
  changeTerms: change('subscriptions.decide', 'always'),
  // for the configuration file, which contains the approver
  settleSubscription: change(null),

  // an API determines its sign-in methods and its approvers
  pageApis: plain('registry.read'),
  readApi: plain('registry.read'),
  readDecidedApi: plain('subscriptions.decide'),
  readApiLogo: plain('registry.read'),
  readClientLogo: plain(null),
  // same effect as changeApi
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

  // the mail is sent to the caller's own address
  testMail: plain('registry.manage'),
  testAuditWebhook: plain('registry.manage'),
  // uses the stored secret and the stored addresses
  testAuthMethod: plain('registry.manage'),
  testAuthMethodInput: plain('registry.manage'),

  listSigningKeys: plain('keys.read'),
  rotateSigningKeys: plain('keys.manage', 'always'),
  previewKeyRetirement: plain('keys.read'),
  retireSigningKey: plain('keys.manage', 'always'),
  resealSecrets: plain('keys.manage'),

  listMailPreviews: plain('registry.read'),
  previewMail: plain('registry.read'),
  // the mail is sent to the caller's own address
  sendMailPreview: plain('registry.manage'),

  pageAudit: plain('audit.read'),
  readAuditEvent: plain('audit.read'),
  exportAudit: plain('audit.read'),
  readUsage: plain('audit.read'),
  // the actor's own applications, or all applications
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

// Limits on owned clients and on the rate of edits, so that one developer cannot slow down the service.
// Administrators and the operator are unlimited. Programs have the edit limit of developers.

/**
 * Bytes of metadata and number of subscriptions per client. A user's limits are these values times the limit
 * of clients.
 */
const BYTES_EACH = 4_096;
const SUBSCRIPTIONS_EACH = 10;
const MINUTE = { kind: 'edits', windowSeconds: 60, times: 1 } as const;
const HOUR = { kind: 'edits-hour', windowSeconds: 3_600, times: 10 } as const;

/** Roles that can own and change clients. */
const DEVELOPERS: readonly string[] = ['administrator', 'developer'];

const isUnlimited = (actor: Actor) => actor.kind === 'person' && actor.roles.includes('administrator');

/** Counts a change of the registry before it happens. Throws `Refused` above the limit. */
export async function countEdit(actor: Actor): Promise<void> {
  if (isHost(actor) || isUnlimited(actor)) return;
  const name = actor.kind === 'machine' ? `client ${actor.clientId}` : actor.id;
  const windows = [HOUR, MINUTE].map(({ kind, windowSeconds, times }) =>
    attemptLimit(kind, name, settings().editsPerMinute * times, windowSeconds),
  );
  const admission = await beginAttempt(windows);
  if (admission.kind === 'admitted') return;
  const full = windows.find(({ key }) => admission.kind === 'in-flight' && admission.keys.includes(key));
  const retryAfterSeconds =
    admission.kind === 'used-up' ? admission.waitSeconds : (full?.windowSeconds ?? 60);
  const code = retryAfterSeconds > 60 ? 'changes.hourly' : 'changes.minutely';
  throw new Refused(code, {}, { retryAfterSeconds });
}

/**
 * Counts clients that programs create, because these have no owner and so no quota of an owner applies. The daily
 * limit equals the number of clients that a user can own. Above it, the call throws `Refused` and records
 * attempts.limited.
 */
export async function countNewClient(actor: Actor): Promise<void> {
  if (actor.kind !== 'machine') return;
  const { clientsPerOwner } = settings();
  const limit = attemptLimit('new-clients', actor.clientId, clientsPerOwner, 86_400);
  const { id: requestId, ip } = actor.request;
  try {
    await countAttempt([limit], { clientId: actor.clientId, requestId, ip });
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    const { waitSeconds: retryAfterSeconds } = error;
    throw new Refused('holdings.program', { most: clientsPerOwner }, { retryAfterSeconds });
  }
}

/** Runs an edit in a transaction: counts the edit, reads the roles again, and checks the quota. */
export async function editOwn<T>(actor: Actor, work: (db: Db) => Promise<T>): Promise<T> {
  if (isHost(actor) || isUnlimited(actor)) return inTransaction(work);
  await countEdit(actor);
  // a client that a program creates has no owner; countNewClient limits the number of such clients
  if (actor.kind === 'machine') return inTransaction(work);
  return inTurn(actor.id, async (db) => {
    const owner = await lockOwner(db, actor.id);
    if (!owner || owner.disabled || !DEVELOPERS.some((role) => owner.roles.includes(role))) {
      throw new Refused('right.ended', { actor: nameOf(actor) });
    }
    const before = await selectHoldings(db, actor.id);
    const result = await work(db);
    refuseGrowth(before, await selectHoldings(db, actor.id));
    return result;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Serializes the transactions of a user, so that waiting for the lock occupies no database connection. */
async function inTurn<T>(personId: string, work: (db: Db) => Promise<T>): Promise<T> {
  const before = turns.get(personId);
  const mine = (async () => {
    await before;
    return inTransaction(work);
  })();
  const over = mine.then(
    () => {},
    () => {},
  );
  turns.set(personId, over);
  try {
    return await mine;
  } finally {
    if (turns.get(personId) === over) turns.delete(personId);
  }
}

/** Rejects only growth, so that users above a limit can still reduce what they own. */
function refuseGrowth(before: Holdings, after: Holdings): void {
  const { clientsPerOwner } = settings();
  const most: [keyof Holdings, number][] = [
    ['clients', clientsPerOwner],
    ['bytes', clientsPerOwner * BYTES_EACH],
    ['subscriptions', clientsPerOwner * SUBSCRIPTIONS_EACH],
  ];
  const over = most.find(([what, max]) => after[what] > max && after[what] > before[what]);
  if (over) throw new Refused(`holdings.${over[0]}`, { most: over[1] });
}

// The code around every operation. The table above defines which right it requires, whether it requires a recent
// sign-in, and where its statements run. If the right is missing or the object belongs to another person, the audit
// log records the rejection, even though the operation itself was rolled back.

export type Context = { actor: Actor; db: Db };
type Run<Input extends unknown[], Result> = (context: Context, ...input: Input) => Promise<Result>;
type Operation<Input extends unknown[], Result> = (actor: Actor, ...input: Input) => Promise<Result>;

const names = new WeakMap<object, OperationName>();

/** Name of the operation; null: the function is not an operation. */
export const operationName = (operationObject: object): OperationName | null =>
  names.get(operationObject) ?? null;

export function operation<Input extends unknown[], Result>(
  name: OperationName,
  run: Run<Input, Result>,
): Operation<Input, Result> {
  const { right, fresh, runsOn } = OPERATIONS[name];
  const runOperation: Operation<Input, Result> = async (actor, ...input) => {
    try {
      // the right is checked first, because without it a recent sign-in would not help
      if (right !== null) requireAction(actor, right);
      if (fresh === 'always') requireRecent(actor);
      return await on(runsOn, actor, (db) => run({ actor, db }, ...input));
    } catch (error) {
      if (isDenial(error)) await note(name, actor, error);
      if (error instanceof UnstorableValue) throw unstorable(name, error);
      throw error;
    }
  };
  names.set(runOperation, name);
  return runOperation;
}

function on<Result>(what: Terms['runsOn'], actor: Actor, work: (db: Db) => Promise<Result>): Promise<Result> {
  if (what === 'pool') return currentConnection().then(work);
  return what === 'transaction' ? inTransaction(work) : editOwn(actor, work);
}

/**
 * Error for a value that a check of the operation should have rejected. The log contains the name of the
 * operation.
 */
function unstorable(name: string, error: UnstorableValue): Refused {
  log().warn({ err: error, operation: name }, 'a value got as far as the database, which can not hold it');
  return new Refused('input.unstorable');
}

function isDenial(error: unknown): error is Refused {
  return error instanceof Refused && (error.kind === 'forbidden' || error.foreign);
}

async function note(name: string, actor: Actor, { kind, message }: Refused): Promise<void> {
  try {
    const details = { operation: name, answer: kind, reason: message };
    await recordRefusal({ event: 'access.denied', ...authorOf(actor), details });
  } catch (error) {
    log().error({ err: error, operation: name }, 'a refusal could not be written to the audit log');
  }
}

/** Checks only the right, so that the HTTP status is known before the page is rendered. */
export const enter = operation('enter', async ({ actor }, input: { action: Action }): Promise<void> => {
  requireAction(actor, input.action);
});

// Limits per user in 15 minutes. They do not apply to the operator on the host.

type OwnLimit = {
  kind: Parameters<typeof attemptLimit>[0];
  /** distinguishes several limits of the same kind */
  name?: string;
  most: number;
  refusal: 'connection.too_many' | 'find.too_many';
};

/** Counts and runs the work. Above the limit, throws `Refused` with the number of seconds to wait. */
export async function limitedWork<Result>(
  actor: Actor,
  { kind, name, most, refusal }: OwnLimit,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isHost(actor)) return work();
  const { actor: by = '', requestId = '', ip = null } = authorOf(actor);
  const limit = attemptLimit(kind, [name, by].filter(Boolean).join(' '), most);
  const results: Result[] = [];
  const wait = await sendLimited([limit], { requestId, ip }, async () => {
    results.push(await work());
  });
  if (wait !== null) throw new Refused(refusal, {}, { retryAfterSeconds: wait });
  return results[0] as Result;
}
