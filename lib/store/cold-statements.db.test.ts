// PostgreSQL describes each cold statement on the migrated schema: the columns of every read equal the declared ones, and
// every parameter has the type of its value. The functions of the store run with sample arguments on a database that
// records statements instead of running them. statements.db.test.ts describes the prepared statements, and the
// exceptions of both tests are in this file (UNDESCRIBED).
import type pg from 'pg';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { client } from '#lib/catalogue/clients/definition.ts';
import type { Step } from '#lib/catalogue/subscriptions/rows.ts';
import { roomOf } from '#testing/code/rooms.ts';
import { isTest, PROGRAMS, sourcesIn, sourcesOf } from '#testing/code/sources.ts';
import { describeStatement, typeNames } from '#testing/data/described.ts';
import { withClient } from '#testing/data/sql.ts';
import type { Statement } from './pool.ts';
import type { Db } from './prisma.ts';
import type { ColdReturns } from './statement.ts';

type Recorded = {
  place: string;
  caller: string;
  text: string;
  values: readonly unknown[];
  returns: ColdReturns | null;
};

const ID = '00000000-0000-4000-8000-000000000000';
const SAMPLES: Readonly<Record<string, unknown>> = {
  ...{ uuid: ID, text: 'x', int: 1, smallint: 1, float8: 1, bytea: Buffer.from('x'), 'text[]': ['x'] },
  ...{ timestamptz: new Date(), json: [] },
};

/** A database that records each statement with the place in the store that runs it. */
const recorder = vi.hoisted(() => {
  const recorded: Recorded[] = [];
  /** results of statements: no rows, or one row whose boolean columns have this value */
  const state: { answer: null | boolean; int: number } = { answer: null, int: 1 };
  const record = (text: string, values: readonly unknown[], returns: ColdReturns | null): void => {
    const stack = new Error('place').stack ?? '';
    const place = /lib\/(?:store|catalogue\/[\w-]+)\/[\w-]+\.ts:\d+/.exec(stack)?.[0] ?? '';
    const [, name, file] =
      /at (?:async )?(?:\w+\.)*(\w+) .*\/(lib\/(?:store|catalogue\/[\w-]+)\/[\w-]+\.ts):\d+/.exec(stack) ??
      [];
    recorded.push({ place, caller: `${file} ${name}`, text, values, returns });
  };
  return { recorded, state, record };
});

const sampleRow = (returns: ColdReturns) =>
  Object.fromEntries(
    Object.entries(returns).map(([name, type]) => {
      if (typeof type !== 'string') return [name, null];
      const plain = type.replace('?', '');
      if (plain === 'boolean') return [name, recorder.state.answer];
      return [name, plain === 'int' ? recorder.state.int : (SAMPLES[plain] ?? null)];
    }),
  );

const count = () => (recorder.state.answer === null ? 0 : 1);
const model = {
  count: async () => count(),
  create: async () => ({ id: ID }),
  upsert: async () => ({ id: ID }),
  findMany: async () => [],
  findFirst: async () => null,
  findUnique: async () => null,
  ...Object.fromEntries(
    ['createMany', 'updateMany', 'deleteMany'].map((name) => [name, async () => ({ count: count() })]),
  ),
};
const raw = {
  // statements.db.test.ts describes the named statements
  run: async ({ name, text, values = [] }: Statement) => {
    if (name === undefined) recorder.record(text, values, { locked: 'boolean' });
    return [];
  },
  $executeRaw: async ({ text, values = [] }: Statement) => {
    recorder.record(text, values, null);
    return count();
  },
};
const db = new Proxy(raw, { get: (target, name) => Reflect.get(target, name) ?? model }) as unknown as Db;

vi.mock(import('./prisma.ts'), async (original) => {
  const prisma = await original();
  const { sql } = await import('./sql.ts');
  const readRows =
    (_: Db, returns: ColdReturns) =>
    async (strings: readonly string[], ...inserted: unknown[]) => {
      const { text, values } = sql(strings, ...inserted);
      recorder.record(text, values, returns);
      return recorder.state.answer === null ? [] : [sampleRow(returns)];
    };
  return {
    ...prisma,
    readRows,
    readRow:
      (...read: Parameters<typeof readRows>) =>
      async (...statement: Parameters<ReturnType<typeof readRows>>) =>
        (await readRows(...read)(...statement))[0] ?? null,
    database: () => db,
    inTransaction: (work: (transaction: Db) => unknown) => work(db),
  } as unknown as typeof prisma;
});

const hash = Buffer.from('x');
const now = new Date();
const pair = { clientId: 'x', api: 'x' };
const method = { authMethodId: 'x', methodEpoch: '1', askedAt: '2026-01-01' };
const days = { from: now, before: now };
const search = [
  { text: 'x', people: null },
  { text: 'x', people: [ID] },
];
const range = { minutes: 5, from: now, until: now, stepMinutes: 5 } as const;
const usage = [range, { apiId: 'x', authMethodId: 'x' }] as const;

/** Runs each function of the store that contains a cold statement, in several shapes. */
async function runAll(): Promise<void> {
  const { addressChanges, markEmailVerified, takeMailToken } = await import('./addresses.ts');
  await addressChanges.start({ personId: ID, email: 'x', handleHash: hash, codesHash: hash, seconds: 1 });
  await addressChanges.find(ID, hash);
  await addressChanges.tryCodes(ID, hash, hash);
  await addressChanges.take(db, ID, hash);
  await takeMailToken(db, hash, 'verify-email');
  await markEmailVerified(db, ID, 'x');

  const apis = await import('#lib/catalogue/apis/rows.ts');
  const values = api.parse({
    ...{ id: 'x', name: 'X', url: 'https://x.example', authMethods: ['x'] },
    scopes: [{ name: 'x', description: 'X' }],
  });
  for (const lock of ['lock', 'look'] as const) await apis.findApi(db, 'x', lock);
  await apis.selectHolderOfHosts(db, ['x'], 'x');
  await apis.selectAddressesAtHosts(db, ['https://x.example'], 'x');
  await apis.upsertApi(db, values);
  await apis.setApiUrlsAside(db, ['x']);
  await apis.upsertLocalCombinations(db, 'x');
  for (const text of ['x', null]) await apis.selectCatalogue({ clientId: text, search: text });

  const methods = await import('#lib/catalogue/methods/rows.ts');
  for (const lock of ['lock', 'look'] as const) await methods.findAuthMethod(db, 'x', lock);
  await methods.upsertAuthMethod(db, { id: 'x', type: 'local', name: 'X', config: {} }, 'x');
  await methods.forgetIdentities(db, 'x');
  const audit = await import('./audit.ts');
  for (const afterId of ['1', null]) await audit.selectAuditEvents({ afterId, limit: 1 });
  await audit.countLeftOut();
  await audit.leaseWebhook();
  await audit.advanceWebhook('1');
  await audit.postponeWebhook();
  await audit.releaseWebhook();
  await runCleanup();
  await audit.insertAuditEvent(
    { event: 'x', actor: 'x', personId: ID, requestId: 'x', ip: 'x', details: {} },
    db,
  );

  const clients = await import('#lib/catalogue/clients/rows.ts');
  for (const lock of ['lock', 'look'] as const) await clients.findClient(db, 'x', lock);
  for (const disabled of [true, false]) await clients.setClientDisabled(db, 'x', disabled);
  await clients.selectSecrets(db, 'x');
  await clients.setConfigSecret(db, 'x', { plain: 'x' });
  for (const seconds of [0, 1]) await clients.expireClientSecrets(db, 'x', seconds);
  await clients.selectClientAssertion(db, 'x');

  const configuration = await import('./configuration.ts');
  await configuration.loadRegistry(db, ['x']);
  await configuration.markManaged(db, {
    ...{ groups: ['x'], methods: ['x'], apis: ['x'], clients: ['x'], emails: ['x'] },
    subscriptions: [['x', 'x']],
  });
  if (recorder.state.answer !== null) await configuration.countRegistry();

  const consents = await import('./consents.ts');
  await consents.selectConsents(db, ID);
  await consents.deleteConsent(db, ID, ID);
  await consents.isRelied(db, 'x');
  await consents.selectDelegations(db, ID);
  for (const text of ['x', null]) await consents.selectAgents(db, ID, { clientId: text, api: text });
  await consents.countDelegations(db, ID, pair);
  await consents.saveDelegation(db, ID, pair, { scopes: ['x'], until: now });
  await consents.deleteDelegation(db, ID, ID);

  const endings = await import('./endings.ts');
  for (const basis of ['consent', 'device', 'machine', 'delegation', 'trust'] as const)
    await endings.endTokens(db, { personId: ID, clientId: 'x', apiId: 'x', authMethodId: 'x', basis }, 'x');
  await endings.endTokensOfSubjects(db, { clientId: 'x' });
  await endings.endTokensOfSubjects(db, { apiId: 'x' });
  if (recorder.state.answer !== null) await endings.endAllOfClient(db, 'x');
  for (const kept of [hash, null]) await endings.endSignIns(db, ID, 'x', kept);
  for (const table of ['clients', 'apis', 'auth_methods'] as const)
    await endings.removeFromRegistry(db, table, 'x');
  await endings.countTokensOfPerson(db, ID);
  await endings.countTokens(db, {});
  const counted = { clientId: 'x', api: 'x', authMethodId: 'x', exceptMethods: ['x'] };
  await endings.countTokens(db, counted);
  await endings.countTokens(db, { ...counted, basis: 'device' });
  await endings.countWaitingDevices(db, 'x');
  await endings.invalidateMost(db, now);
  await endings.invalidateBefore(db, now);

  const factors = await import('./factors.ts');
  await factors.listTrustedBrowsers(db, ID);
  await factors.renamePasskey(db, { personId: ID, id: 'x', name: 'x' });
  await factors.removeTotp(db, ID, ID);
  await factors.removePasskey(db, ID, 'x');
  await factors.takeFactors(db, ID);
  const passkey = {
    credentialId: hash,
    personId: ID,
    rpId: 'x',
    publicKey: hash,
    counter: 1,
    transports: ['x'],
  };
  await factors.addPasskey(
    { ...passkey, aaguid: null, backupEligible: true, backedUp: true, name: 'x' },
    { challengeHash: hash, requestId: 'x', ip: null },
    5,
  );
  await factors.countOldPasskeys('x');
  await factors.replaceRecoveryCodes(db, ID, [hash]);

  const { findByText } = await import('./find.ts');
  const all = { people: true, registry: true, groups: true, apis: true, keys: true, audit: true };
  for (const text of [
    'ada@x.example',
    'x y',
    'https://x.example',
    ID,
    '01900000-0000-7000-8000-000000000000',
  ])
    for (const who of [null, ID]) await findByText(db, text, { ...all, clientsOf: who, decidable: who });
  const { insertFormerTokens } = await import('./former.ts');
  const token = { sha256: '00', client_id: 'x', api: 'x', auth_method: 'x', subject: 'x', scopes: ['x'] };
  await insertFormerTokens(db, [{ ...token, auth_time: now, expires_at: now }], false);

  const groups = await import('#lib/catalogue/groups/rows.ts');
  await groups.selectGroupUses(db, 'x', 1);
  for (const lock of ['lock', 'look'] as const) await groups.findGroup(db, 'x', lock);
  await groups.selectGroupNames(db);
  await groups.upsertGroup(db, { id: 'x', name: 'X', from: [] }, ['x']);
  await groups.selectUnknownGroups(db, ['x']);
  await groups.lockRuleMethods(db, ['x']);
  await groups.lockGroups(db);
  await groups.addMembers(db, 'x', [ID]);
  await groups.removeMembers(db, 'x', [ID]);
  await groups.setGroupsByHand(db, ID, ['x']);
  await groups.countOnlyBy(db, 'x', ['x']);
  await groups.selectMemberships(db, ID);

  const identities = await import('./identities.ts');
  const join = { authMethodId: 'x', methodEpoch: '1', from: ID, to: ID, session: hash, idleSeconds: 1 };
  await identities.holdForJoin(db, join);
  await identities.moveIdentities(db, ID, ID);
  await identities.removeIdentity(db, ID, 'x');
  for (const who of [{ id: ID }, { email: 'x' }]) await identities.findPersonAtMethod(db, who, 'x');
  const ofPerson = { personId: ID, clientId: 'x', apiId: 'x', authMethodId: 'x' };
  await identities.findNewestRefreshToken(db, ofPerson);
  await identities.leaseRecheck('x', 1);
  await identities.moveRecheck({ authMethodId: 'x', lease: ID, after: 'x' }, 'x', 1);
  await identities.peopleToRecheck('x', 'x');
  if (recorder.state.answer !== null) await identities.recheckTime();
  await identities.noteMissing(method, ['x']);
  await identities.holdRechecked(db, method, { subject: 'x', personId: ID });

  const keys = await import('./keys.ts');
  await keys.announceKept(db, { subjects: true, usernames: true });
  await keys.renewKept(db);
  await keys.oldestDueKey('ES256', 1);
  const key = { kid: 'x', alg: 'ES256', publicJwk: {}, sealedPrivate: 'x' };
  await keys.createFirstKey(key, { actor: 'x' });
  await keys.addKey(key, 1, { actor: 'x', requestId: 'x', ip: 'x' });
  await keys.markKeyRetired('x', { actor: undefined });
  if (recorder.state.answer !== null) await keys.createSubjectSalt('x');
  const { logos } = await import('./logos.ts');
  await logos.keep(db, { hash: 'x', source: 'x', small: hash, large: hash });
  await logos.hold(db, 'x');
  await logos.holdSource(db, 'x');
  await logos.release(db, 'x');
  await logos.find('x', 'small');
  await logos.selectSources(['x']);
  await logos.selectSmall(['x'], 1);
  await (await import('./logout-deliveries.ts')).postponeLogoutDelivery('1');

  const people = await import('#lib/catalogue/people/rows.ts');
  await people.findPersonView(db, ID, 'x');
  await people.findProfile(db, ID);
  await people.findPersonByEmail(db, 'x');
  for (const reference of [ID, 'x']) await people.findPeopleByReference(db, reference);
  await people.selectSharedNames(db);
  const account = { email: 'x', name: 'x', roles: [], configPassword: null };
  await people.insertPerson(db, { ...account, passwordHash: null });
  await people.insertPerson(db, { ...account, passwordHash: 'x', letInAt: 'x' });
  await people.updatePerson(db, ID, 1, { name: 'x', email: 'x', username: 'x' });
  for (const granted of [true, false]) await people.changeRole(db, ID, 'x', granted);
  await people.setPasswordHash(db, ID, 'x');
  await people.replacePasswordHash(db, { personId: ID, personEpoch: '1', passwordHash: 'x' });
  await people.selectConfigPasswords(['x']);
  await people.removePerson(db, ID);
  await people.selectOwnedClients(db, ID);
  for (const many of [-1, 10]) await people.searchPeople('x', many);
  await people.lockOwner(db, ID);
  await people.selectHoldings(db, ID);
  await people.selectMyRequests(db, ID);
  await people.findTakenNames(db, {
    ...{ ids: [ID], emails: ['x'], names: ['x'], subjects: ['x'], groups: ['x'] },
    identities: [{ authMethodId: 'x', subject: 'x' }],
  });
  await people.insertImportedPeople(db, 'x', []);
  const identity = { personId: ID, authMethodId: 'x', subject: 'y', email: null, name: null, claims: {} };
  await people.insertImportedIdentities(db, [identity]);
  await people.insertImportedParts(db, {
    groups: [{ personId: ID, groupId: 'x' }],
    totps: [{ personId: ID, sealedSecret: 'x' }],
    consents: [{ personId: ID, clientId: 'x', apiId: 'x', scopes: ['x'], givenAt: null }],
  });
  await people.removeImportedPeople(db, 'x');
  await people.selectImportRuns(db);

  const { personRegistrations, waitingPeople } = await import('#lib/catalogue/people/registrations.ts');
  const invitation = { authMethodId: 'x', email: 'x', name: 'x', invitedBy: ID, handleHash: hash, days: 1 };
  await personRegistrations.take(db, hash);
  await personRegistrations.invitingMethods(db);
  await personRegistrations.invite(db, invitation);
  await personRegistrations.withdraw(db, ID);
  const most = { method: 1, all: 1 };
  await waitingPeople.begin(db, hash, { name: 'x', passwordHash: 'x', language: 'x', days: 1, most });
  for (const reference of [ID, 'x']) {
    await waitingPeople.find(db, reference);
    await waitingPeople.take(db, reference);
    await waitingPeople.decision(db, reference);
  }
  await waitingPeople.takeAll(db, 'x');
  await waitingPeople.count(db);

  const mails = await import('./request-mails.ts');
  await mails.queueRequestMails(db, pair, [ID]);
  await mails.requestsToMail(ID);
  await mails.claimRequestMails(1);
  await mails.claimDecisionMails(1);
  await mails.queueDecisionMail(db, pair, { decision: 'x', reason: null, heldSeconds: 1 });
  await mails.decisionsToMail(['1']);
  const turn = { personId: ID, lease: ID };
  await mails.finishRequestMail(turn, ['1']);
  await mails.postponeRequestMail(turn, ['1']);
  await mails.releaseRequestMail(turn);
  await mails.dropRequestMails(['1']);
  await mails.finishDecisionMails(['1']);
  await mails.releaseDecisionMails(['1']);
  await mails.releaseHeldMails(['1'], 1);
  await mails.postponeDecisionMails(['1']);
  const reseal = await import('./reseal.ts');
  await reseal.countPepperSeals(db);
  await reseal.resealPeppers(db);
  await reseal.resealTotpSecrets(db);
  await reseal.countTotpSeals(db);
  const { resealRow, sealForRow } = await import('./sealed.ts');
  for (const table of ['auth_methods', 'totp_secrets', 'people', 'subject_salt', 'signing_keys'] as const)
    await resealRow(table, ID, sealForRow(table, ID, 'x'));
  const service = await import('./service-state.ts');
  await service.noteMaintenance({ deleted: 1, complete: true });
  await service.noteFailedMaintenance('x');
  await (await import('./snapshot.ts')).loadSnapshot(undefined);
  const sessions = await import('./session-list.ts');
  for (const who of [ID, null]) await sessions.endSessionRow(db, '00', who);
  await sessions.nameSession(db, { personId: ID, id: '00', name: 'x' });
  for (const except of [hash, null]) await sessions.endPersonSessions(db, ID, except);

  const subscriptions = await import('#lib/catalogue/subscriptions/rows.ts');
  const powers = { trusted: false, machine: false, device: false };
  const step: Step = { ...powers, to: 'approved', scopes: ['x'], reason: null, actor: 'x', actorId: ID };
  await subscriptions.findSubscription(db, 'x', 'x');
  await subscriptions.selectSubscriptionsOf(db, { clientId: 'x' });
  await subscriptions.selectSubscriptionsOf(db, { api: 'x' });
  await subscriptions.selectSubscriptionSteps(db, 'x', 'x');
  await subscriptions.stepSubscription(db, pair, null, { ...step, requestedBy: ID, message: 'x' });
  const before = { ...powers, version: 1, state: 'pending' } as const;
  const decided = { requiredClaim: null, maxDays: 1, note: 'x', undoable: true, decidedBy: ID };
  await subscriptions.stepSubscription(db, pair, before, { ...step, ...decided });
  await subscriptions.selectClaimsAt(db, 'x');
  await subscriptions.selectMethodsAt(db, 'x');
  await subscriptions.selectRequiredClaims(db, { api: 'x', method: 'x' });
  for (const approver of ['x', null]) {
    await subscriptions.countPending(db, approver);
    await subscriptions.selectWaitingApis(db, approver);
  }
  await subscriptions.findLastStep(db, pair, 1);
  await subscriptions.undoStep(db, pair, { id: '1', version: 1 });
  await subscriptions.isUsedSince(db, pair, '1');

  const unregistered = await import('./unregistered.ts');
  const asks = { clientId: 'x', apiId: 'x', personId: ID };
  await unregistered.findApprovalRequest(db, asks);
  await unregistered.insertApprovalRequest(db, asks, ID);
  await unregistered.countUnregisteredWaiting(db, { personId: ID, apiId: 'x', host: 'x', ruleHost: null });
  await unregistered.insertRegistration(db, {
    client: {
      ...client.parse({ clientId: 'x', name: 'X', kind: 'browser', redirectUris: ['https://x.example'] }),
    },
    ...{ secretHash: null, api: 'x', machine: false, device: false, scopes: ['x'], maxWaiting: 1 },
  });
  await unregistered.deleteUnapproved(1);
  const { REQUESTS } = await import('./refusals.ts');
  for (const key of [['1', '1'], null])
    await REQUESTS.select({ clientId: 'x', failedOnly: true }, { after: key, limit: 1 });
  await REQUESTS.count({ clientId: 'x', failedOnly: false }, 1);
  const upkeep = await import('./upkeep.ts');
  if (recorder.state.answer !== null) await upkeep.selectDeveloperFacts(db, ID);
  for (const ownerId of [ID, null]) await upkeep.selectExpiring(db, { days: 1, ownerId, most: 1 });
  const { usageSums } = await import('./usage-sums.ts');
  await usageSums.steps(db, ...usage);
  await usageSums.refusals(db, ...usage, 1);
  await usageSums.calls(db, ...usage, 1);
  for (const column of ['api_id', 'auth_method_id'] as const) await usageSums.by(db, column, ...usage, 1);
  const { lockName, tryLockName } = await import('./prisma.ts');
  await lockName(db, 'x');
  await tryLockName(db, 'x');
  await runLists();
}

/** Deletes two batches of each table, the second one after the place of the first. */
async function runCleanup(): Promise<void> {
  const { deleteExpired } = await import('./cleanup.ts');
  recorder.state.int = 1_000;
  const endAt = performance.now() + 300;
  await deleteExpired({ budgetMs: endAt - performance.now(), rest: 0 });
  recorder.state.int = 1;
}

/** Reads pages of each list in each order, with every filter and with none. */
async function runLists(): Promise<void> {
  const { APIS } = await import('#lib/catalogue/apis/rows.ts');
  const { AUDIT_EVENTS, SIGN_INS } = await import('./audit.ts');
  const { AUTH_METHODS } = await import('#lib/catalogue/methods/rows.ts');
  const { CLIENTS } = await import('#lib/catalogue/clients/rows.ts');
  const { GROUP_MEMBERS, GROUPS } = await import('#lib/catalogue/groups/rows.ts');
  const { PEOPLE } = await import('#lib/catalogue/people/rows.ts');
  const { personRegistrations, waitingPeople } = await import('#lib/catalogue/people/registrations.ts');
  const { SESSIONS } = await import('./session-list.ts');
  const { SUBSCRIPTIONS } = await import('#lib/catalogue/subscriptions/rows.ts');
  const texts = [{ search: 'x' }, { search: null }];
  for (const named of [APIS, AUTH_METHODS, GROUPS, personRegistrations.INVITATIONS, waitingPeople.WAITING])
    await pages(named, texts);
  await pages(SIGN_INS, [{ personId: ID }]);
  await pages(
    GROUP_MEMBERS,
    [null, ...search].map((text) => ({ group: 'x', search: text })),
  );
  await pages(CLIENTS, [
    { ownerId: null, search: null, kind: null, disabled: null },
    { ownerId: ID, search: 'x', kind: 'browser', disabled: true, created: days },
  ]);
  const nobody = { search: null, role: null, disabled: null, factors: null, seen: null, createdWithin: null };
  await pages(PEOPLE, [
    nobody,
    ...[...search].map((text) => ({ ...nobody, search: text, role: 'x', disabled: true, factors: false })),
    ...(['never', { within: 1 }, { before: 1 }] as const).map((seen) => ({
      ...nobody,
      seen,
      createdWithin: 1,
    })),
    { ...nobody, created: days, seenOn: { from: null, before: now } },
  ]);
  await pages(
    SESSIONS,
    [null, ...search].map((text) => ({ personId: ID, kind: 'console', search: text, idleSeconds: 1 })),
  );
  await pages(SUBSCRIPTIONS, [
    { decidable: null },
    {
      ...{
        ownerId: ID,
        clientId: 'x',
        api: 'x',
        state: 'pending',
        trusted: true,
        machine: true,
        device: true,
      },
      ...{ unregistered: true, search: 'x', requested: days, decided: days, decidable: 'x' },
    },
  ]);
  const [like = { text: 'x', people: null }, listed = like] = search;
  await pages(AUDIT_EVENTS, [
    {},
    {
      since: now,
      until: now,
      events: ['x'],
      actor: 'x',
      personId: ID,
      clientId: 'x',
      apiId: 'x',
      requestId: 'x',
    },
    { id: '1', like: { actor: like, person: { text: ID, people: null }, client: 'x', api: 'x' } },
    { like: { actor: listed, person: listed } },
  ]);
}

type Pages<Asked> = typeof import('#lib/catalogue/apis/rows.ts').APIS extends {
  select: (asked: never, slice: infer Slice) => unknown;
}
  ? {
      orders: readonly string[];
      order: (name: string) => { shapes: readonly RegExp[] };
      select: (asked: Asked, slice: Slice) => Promise<unknown>;
      count: (asked: Asked, most: number) => Promise<unknown>;
      estimate: (asked: Asked) => Promise<unknown>;
    }
  : never;

async function pages<Asked>(list: Pages<Asked>, filters: readonly Asked[]): Promise<void> {
  for (const filter of filters) {
    await list.count(filter, 1);
    await list.estimate(filter);
    for (const order of list.orders) {
      const key = list.order(order).shapes.map(() => '1');
      for (const slice of [{}, { after: key }, { before: key }])
        await list.select(filter, { order, limit: 1, ...slice });
    }
  }
}

for (const answer of [null, true, false]) {
  recorder.state.answer = answer;
  await runAll();
}
const statements = [...new Map(recorder.recorded.map((recorded) => [recorded.text, recorded])).values()];

type Field = z.ZodType;
const TEXTS = ['text', 'uuid'];
/** PostgreSQL types whose values satisfy the schema of a field. */
function typesOf(field: Field): readonly string[] {
  if (field instanceof z.ZodString || field instanceof z.ZodStringFormat || field instanceof z.ZodEnum)
    return TEXTS;
  if (field instanceof z.ZodNumber) return ['integer', 'smallint', 'double precision'];
  if (field instanceof z.ZodBoolean) return ['boolean'];
  if (field instanceof z.ZodDate) return ['timestamp with time zone'];
  if (field instanceof z.ZodArray) {
    const each = typesOf(field.element as Field).filter((type) => TEXTS.includes(type));
    return ['json', 'jsonb', ...each.map((type) => `${type}[]`)];
  }
  if (field instanceof z.ZodPipe) return [...typesOf(field.in as Field), ...typesOf(field.out as Field)];
  if (field instanceof z.ZodUnion) return field.options.flatMap((option) => typesOf(option as Field));
  if ('unwrap' in field && typeof field.unwrap === 'function') return typesOf(field.unwrap() as Field);
  return ['json', 'jsonb'];
}

/** JavaScript types of parameters, by PostgreSQL type. Every other type takes text. */
const VALUES: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(
    ['smallint', 'integer', 'bigint', 'double precision', 'numeric'].map((type) => [
      type,
      (value: unknown) => typeof value === 'number' || type === 'bigint',
    ]),
  ),
  boolean: (value) => typeof value === 'boolean',
  bytea: (value) => value instanceof Uint8Array,
  'timestamp with time zone': (value) => value instanceof Date || typeof value === 'string',
};
const fits = (value: unknown, type: string): boolean =>
  value === null ||
  (type.endsWith('[]') ? Array.isArray(value) : (VALUES[type]?.(value) ?? typeof value === 'string'));

/** Differences that are no faults, by the function with the statement. */
const EXCEPTIONS: readonly string[] = [
  // the column is nullable in the table, but never null in the rows of this statement
  'lib/catalogue/people/registrations.ts takeWaiting: passwordHash can be null',
  'lib/catalogue/people/rows.ts selectConfigPasswords: email can be null',
  'lib/catalogue/people/rows.ts selectConfigPasswords: hash can be null',
  'lib/catalogue/people/rows.ts selectImportRuns: run can be null',
  'lib/catalogue/subscriptions/rows.ts selectRequiredClaims: requiredClaim can be null',
  'lib/catalogue/subscriptions/rows.ts selectStepsOf: clientKind can be null',
  'lib/store/configuration.ts loadRegistry: email can be null',
  'lib/store/identities.ts leaseRecheck: after can be null',
  'lib/store/reseal.ts resealPeppers: hash can be null',
  // the id of the only row of subject_salt
  'lib/store/sealed.ts resealRow: $2 is integer, its value is string',
];

/** Returns the differences between the declarations of the statements and PostgreSQL's descriptions, with their lines. */
const allFaults = (checked: readonly Recorded[]) =>
  withClient(process.env['DATABASE_URL'] ?? '', async (client) => {
    const faults = new Map<string, Set<string>>();
    for (const declared of checked)
      for (const fault of await faultsOf(client, declared).catch((error: Error) => [error.message])) {
        const key = `${declared.caller}: ${fault}`;
        faults.set(key, (faults.get(key) ?? new Set()).add(declared.place));
      }
    // an exception names one statement: the same fault of a second one in the function is another fault
    return [...faults]
      .map(([fault, { size }]) => (size === 1 ? fault : `${fault}, ${size} times`))
      .toSorted();
  });

const names = new Map<string, string>();
async function nameOf(client: pg.Client, type: string): Promise<string> {
  const name = names.get(type) ?? (await typeNames(client, [type])).join();
  names.set(type, name);
  return name;
}

async function faultsOf(client: pg.Client, { text, values, returns }: Recorded): Promise<string[]> {
  const { parameters, columns } = await describeStatement(client, text);
  const faults = parameters.flatMap((type, at) =>
    fits(values[at], type) ? [] : [`$${at + 1} is ${type}, its value is ${typeof values[at]}`],
  );
  if (returns === null) return faults;
  const described = new Set((columns ?? []).map(({ name }) => name));
  const other = [...described.symmetricDifference(new Set(Object.keys(returns)))];
  if (other.length > 0) faults.push(`only one of statement and declaration has ${other}`);
  for (const { name, type, nullable } of columns ?? []) {
    const column = returns[name];
    if (column === undefined) continue;
    const isText = typeof column === 'string';
    const types = isText ? [await nameOf(client, column.replace('?', ''))] : typesOf(column as Field);
    if (!types.includes(type)) faults.push(`${name} is ${type}, declared: ${types}`);
    // columns with lists permit null, and no statement writes it
    if (!nullable || type.endsWith('[]')) continue;
    const permitsNull = isText ? column.endsWith('?') : (column as Field).safeParse(null).success;
    if (!permitsNull) faults.push(`${name} can be null`);
  }
  return faults;
}

test('every cold statement takes and returns the declared types', async () => {
  expect(statements.length).toBeGreaterThan(300);
  expect(await allFaults(statements)).toEqual(EXCEPTIONS);
});

test('every cold statement with declared columns, and every cold change, is described', () => {
  const described = new Set(recorder.recorded.map(({ place }) => place));
  const missing = sourcesOf('store')
    // prisma.ts defines the tags
    .filter(({ file }) => file !== 'lib/store/prisma.ts')
    .flatMap(({ file, text }) => {
      const lines = text.split('\n');
      const starts = lines.flatMap((line, at) => (/\breadRows?\(|\$executeRaw/.test(line) ? [at + 1] : []));
      // the place of a call can be the line on which its argument ends
      return starts
        .filter((start, at) => {
          const end = starts[at + 1] ?? lines.length + 1;
          return !lines.some((_, line) => start <= line && line < end && described.has(`${file}:${line}`));
        })
        .map((start) => `${file}:${start}`);
    });
  expect(missing).toEqual([]);
});

/** Files that send statements which neither test describes, with the reason. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  'lib/store/pool.ts': 'sends the statements of other files, and the settings of a connection',
  'lib/store/prisma.ts': 'sends the statements of other files, and begins and ends transactions',
  'lib/store/statement.ts': 'sends the prepared statements of other files',
  'lib/store/database.ts': 'reads catalogues of a database that may have no schema yet',
  'lib/store/migrate.ts':
    'changes the schema, and reads catalogues of a database that may have no schema yet',
  'lib/store/snapshot-watch.ts': 'listens, which PostgreSQL can not describe, on a separate connection',
  'lib/embedded-database/embedded.ts': 'creates the database of the service',
};

test('only described statements, and those of the listed files, are sent', () => {
  const sources = sourcesIn('lib', 'cli', 'app', ...PROGRAMS).filter(({ file }) => !isTest(file));
  const sending = sources.filter(({ file, text, module }) => {
    const names = module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map(({ importName }) => `${moduleRequest.value} ${importName.name ?? importName.kind}`),
    );
    const isStore = roomOf(file) === 'store';
    return (
      names.some((name) => /^pg |pool\.ts (?:query|queryLane|send|pool)$/.test(name)) ||
      /\brun(?:<[^()]*>)?\((?:\{\s*(?:name|text)\b|sql)/.test(text) ||
      (!isStore && /\breadRows?\(db|\$executeRaw|\bbatchedStatement\(/.test(text))
    );
  });
  expect(sending.map(({ file }) => file).toSorted()).toEqual(Object.keys(UNDESCRIBED).toSorted());
});

test('a wrong declaration of a cold statement is reported', async () => {
  const text = 'select id, email, roles from people where id = $1::uuid and version = $2';
  const right = {
    ...{ place: 'right', caller: 'right' },
    text,
    values: [ID, 1],
    returns: { id: 'uuid', email: 'text?', roles: 'text[]' },
  };
  const fields = { id: z.string(), email: z.email().nullable(), roles: z.array(z.string()) };
  const wrong = { id: z.int(), email: z.string(), role: z.array(z.string()) };
  const checked = [
    right,
    { ...right, caller: 'fields', returns: fields },
    { ...right, caller: 'types', returns: wrong },
    { ...right, caller: 'values', values: [1, 'x'] },
    { ...right, caller: 'text', text: 'select nothing from people' },
  ] as readonly Recorded[];
  expect(await allFaults(checked)).toEqual([
    'text: column "nothing" does not exist',
    'types: email can be null',
    'types: id is uuid, declared: integer,smallint,double precision',
    'types: only one of statement and declaration has roles,role',
    'values: $1 is uuid, its value is number',
    'values: $2 is integer, its value is string',
  ]);
});
