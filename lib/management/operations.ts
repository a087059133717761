// Table of operations: required right, rule for a recent sign-in, database handle. A missing operation does not
// compile. A recent sign-in is at most a few minutes old, so unattended consoles and old management API tokens grant
// no power.

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
  /** checked first; `null`: the operation checks the right itself, because it depends on the input */
  right: Action | null;
  /**
   * `sometimes`: the operation decides whether to require a recent sign-in. `never`: the operation only reads or
   * removes, needs approval, or requires another proof
   */
  fresh: 'always' | 'sometimes' | 'never';
  /** `edit`: a transaction within the limits of client owners. `pool`: separate transactions, or none */
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

  // own account: the old password authorizes a new password
  readMyProfile: plain('account.read'),
  changeMyProfile: change('account.change'),
  changeMyPassword: plain('account.change'),
  requestEmailVerification: plain('account.change'),
  // a mail reader can reset the password
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
  // outlives the sign-in
  giveDelegation: change('account.change', 'always'),
  endMyDelegation: change('account.change'),

  // sign-in factors: an unattended session must neither gain nor lose a factor
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

  // sign-in methods are equivalent to passwords
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
  // a new address lets its mail reader reset the password
  changePerson: plain('people.manage', 'sometimes'),
  disablePerson: change('people.manage'),
  enablePerson: change('people.manage', 'always'),
  deletePerson: change('people.manage', 'always'),
  // host only: hashes and ids are written unchanged
  importPeople: plain('people.manage', 'always'),
  importTokens: plain('people.manage', 'always'),
  undoImport: plain('people.manage', 'always'),
  setPassword: plain('people.manage', 'always'),
  // sends to the existing address
  sendPasswordReset: plain('people.manage'),
  grantRole: change('people.manage', 'always'),
  revokeRole: change('people.manage', 'always'),
  // membership of a group grants scopes and access
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
  // lost factor: an impostor must not use an unattended administrator session
  resetFactors: plain('people.manage', 'always'),
  previewPersonStep: plain('people.read'),
  readSecondFactors: plain('people.read'),
  invalidateIssued: plain('people.manage'),

  // requires a recent sign-in for `idJagAudiences`, the authorization servers to which the service vouches for people
  createClient: plain('clients.create', 'sometimes'),
  pageClients: plain(null),
  readClient: plain(null),
  pageClientRequests: plain(null),
  // a query about another user requires the right to read people
  explainAccess: plain(null),
  // each part checks a separate right
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
  // disablement by administrators: only administrators reverse it
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
  // revokes access, or returns a request to pending
  undoDecision: plain('subscriptions.decide'),
  undoDecisions: plain('subscriptions.decide'),
  changeTerms: change('subscriptions.decide', 'always'),
  // the configuration file's, which brings its approver
  settleSubscription: change(null),

  // APIs define sign-in methods and deciders
  pageApis: plain('registry.read'),
  readApi: plain('registry.read'),
  readDecidedApi: plain('subscriptions.decide'),
  readApiLogo: plain('registry.read'),
  readClientLogo: plain(null),
  // same effect as changeApi or changeClient, respectively
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
  // uses stored secret and stored addresses
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

// Limits for owned clients and edit rate, so a single developer cannot slow the service. Administrators and the
// operator are unlimited. Programs have the edit limit of developers.

/** Limits per user: these values times the client limit. */
const BYTES_EACH = 4_096;
const SUBSCRIPTIONS_EACH = 10;
const MINUTE = { kind: 'edits', windowSeconds: 60, times: 1 } as const;
const HOUR = { kind: 'edits-hour', windowSeconds: 3_600, times: 10 } as const;

/** Roles permitted to own and change clients. */
const DEVELOPERS: readonly string[] = ['administrator', 'developer'];

const isUnlimited = (actor: Actor) => actor.kind === 'person' && actor.roles.includes('administrator');

/** Counts a registry change before it happens. Throws `Refused` above the limit. */
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
 * Counts clients created by programs, which have no owner quota. Their daily limit equals the client limit of a user.
 * Above it the call throws `Refused` and audits attempts.limited.
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

/** Runs an edit in a transaction: the edit is counted, roles are read again, and the quota is checked. */
export async function editOwn<T>(actor: Actor, work: (db: Db) => Promise<T>): Promise<T> {
  if (isHost(actor) || isUnlimited(actor)) return inTransaction(work);
  await countEdit(actor);
  // program clients have no owner; countNewClient limits them
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

/** Serializes transactions per user, so waiting for the lock occupies no database connection. */
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

/** Rejects growth only, so users above a limit can still reduce their usage. */
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

// The frame of every operation. The table above defines which right it requires, whether it requires a recent
// sign-in, and where its statements run. If the right is missing or the object belongs to another person, the audit
// log records the refusal, although the operation itself was rolled back.

export type Context = { actor: Actor; db: Db };
type Run<Input extends unknown[], Result> = (context: Context, ...input: Input) => Promise<Result>;
type Operation<Input extends unknown[], Result> = (actor: Actor, ...input: Input) => Promise<Result>;

const names = new WeakMap<object, OperationName>();

/** `null`: not an operation function. */
export const operationName = (one: object): OperationName | null => names.get(one) ?? null;

export function operation<Input extends unknown[], Result>(
  name: OperationName,
  run: Run<Input, Result>,
): Operation<Input, Result> {
  const { right, fresh, runsOn } = OPERATIONS[name];
  const runOperation: Operation<Input, Result> = async (actor, ...input) => {
    try {
      // the right is checked first, because a recent sign-in is useless without it
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

/** A check of the operation should have rejected this value. The log names the operation. */
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

/** Checks only the right, so the status is known before the page is rendered. */
export const enter = operation('enter', async ({ actor }, input: { action: Action }): Promise<void> => {
  requireAction(actor, input.action);
});

// Limits per user in 15 minutes. The host operator has no limit.

type OwnLimit = {
  kind: Parameters<typeof attemptLimit>[0];
  /** one of several of this kind */
  name?: string;
  most: number;
  refusal: 'connection.too_many' | 'find.too_many';
};

/** Throws `Refused` with the wait in seconds above the limit. */
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
