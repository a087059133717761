// Runs every changing operation, and checks that it writes an audit event, and that no event contains a secret.
import { beforeAll, expect, test } from 'vitest';
import { newTotp, totpToReplace } from '#lib/factors/totp.ts';
import { now } from '#lib/kit/clock.ts';
import { settings } from '#lib/settings/settings.ts';
import { offeredBy } from '#testing/code/offered.ts';
import { OPERATION_NAMES } from '#testing/code/operations.ts';
import { png } from '#testing/data/pictures.ts';
import {
  givenFamily,
  givenPerson,
  mailTo,
  PASSWORD,
  type Person,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { codeOf, totpOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { actorOf, browserWith, held, sealApp, signIn } from '#testing/in-process/console-session.ts';
import { givenLocal, givenMethods, givenStranger, proofOf } from '#testing/in-process/links.ts';
import { secretsInDatabase } from '#testing/in-process/secrets-of-service.ts';
import { viewNewFactor } from './console-sign-in.ts';
import { listSigningKeys } from './keys.ts';
import { readMyFactors } from './my-account.ts';
import { OPERATOR } from './policy.ts';

/** Prefixes in the names of operations that only read or test. */
const READING = /^(?:read|list|page|preview|find|enter$|explain|export|inspect|test|sendMailPreview$)/;
/** Operations that prove an identity at another service, or that record only numbers (import-people.db.test.ts). */
const ELSEWHERE = ['startLink', 'proveLink', 'importPeople', 'importTokens', 'undoImport'];

const CONFIGURATION = { kind: 'configuration' };

/** Operations without an audit event, none of which ends a permission. */
const UNRECORDED: readonly string[] = [
  // how the user's start page looks
  'putChecklistAway',
  // the mailed link or code makes the change, and its event
  'requestEmailVerification',
  // the same values under another secret
  'resealSecrets',
  'startAddressChange',
];

const secrets = new Set<string>();
const silent = new Set<string>();
const done = new Set<string>();

type Run = (...input: unknown[]) => Promise<unknown>;
const management = (await offeredBy('management')) as Record<string, Run>;

/** Runs the operation, and collects the secrets in its result and in the database. */
async function run<Result = unknown>(name: string, ...input: unknown[]): Promise<Result> {
  const operation = management[name];
  if (!operation) throw new Error(`there is no operation ${name}`);
  const before = await newestEvent();
  const result = await operation(...input);
  if ((await newestEvent()) === before) silent.add(name);
  done.add(name);
  for (const one of [...secretsIn(result), ...(await secretsInDatabase())]) secrets.add(one);
  return result as Result;
}

const newestEvent = async () =>
  (await sql<{ id: string | null }>('select max(id)::text as id from audit_events'))[0]?.id;

/** Members of a result that contain a secret. */
function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return /secret|codes|handle|cookie|address/.test(name) ? [value] : [];
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  const entries = Array.isArray(value) ? value.map((one) => [name, one] as const) : Object.entries(value);
  return entries.flatMap(([key, one]) => secretsIn(one, key));
}

const SENT = {
  first: 'first-token-of-a-verifier-that-is-long',
  second: 'second-token-of-a-verifier-that-is-long',
  password: 'long-enough-and-new-2',
};

const SENTENCE = { reason: 'Not like this' };
const SETTLED = {
  state: 'approved',
  scopes: ['read'],
  trusted: false,
  machine: false,
  device: false,
  approvedBy: 'root@example.com',
};

async function walkClients(root: Person, dev: Person): Promise<void> {
  const shop = { clientId: 'shop' };
  const redirectUris = ['https://shop.example/cb'];
  await run('createClient', dev, { ...shop, name: 'Shop', kind: 'confidential', redirectUris });
  await run('changeClient', root, { ...shop, name: 'Store', ownerEmail: 'dev@example.com' });
  await run('setClientLogo', dev, { ...shop, logo: png() });
  const { id } = await run<{ id: string }>('addSecret', dev, shop);
  await run('dropSecret', dev, { ...shop, secretId: id });
  await run('rotateClientSecret', dev, { ...shop });
  await run('requestSubscription', dev, { ...SHOP, trusted: true, scopes: ['read'] });
  await run('decideSubscription', root, { ...SHOP, action: 'approve', maxDays: 30, note: 'Fine' });
  await run('undoDecision', root, { ...SHOP });
  await run('decideSubscriptions', root, { action: 'approve', requests: [SHOP] });
  await run('undoDecisions', root, { requests: [SHOP] });
  await run('decideSubscriptions', root, { action: 'approve', requests: [SHOP] });
  await run('changeTerms', root, { ...SHOP, maxDays: 60 });
  await run('changeSubscription', dev, { ...SHOP, scopes: ['read', 'write'], trusted: false });
  await run('changeSubscription', dev, { ...SHOP, scopes: ['read'], trusted: true });
  await givenFamily(dev);
  await run('revokeClient', dev, shop);
  await run('disableClient', dev, shop);
  await run('enableClient', root, shop);
}

async function walkRegistry(root: Person): Promise<void> {
  const api = { id: 'billing', name: 'Billing', url: 'https://billing.example', authMethods: ['local'] };
  await run('createApi', root, api, { introspectionSecret: SENT.first });
  await run('changeApi', root, { id: 'billing', name: 'Invoices' }, { introspectionSecret: SENT.second });
  await run('setApiLogo', root, { id: 'billing', logo: png() });
  await run('renewIntrospectionSecret', root, { id: 'billing' });
  await run('deleteApi', root, { id: 'billing' });
  const config = { verify_url: 'https://people.example/check' };
  const method = { id: 'staff', type: 'external', name: 'Staff', config, secret: SENT.first };
  await run('createAuthMethod', root, method);
  await run('changeAuthMethod', root, { id: 'staff', name: 'The staff', secret: SENT.second });
  await run('deleteAuthMethod', root, { id: 'staff' });
  await run('rotateSigningKeys', root);
  await run('rotateSigningKeys', root);
  const [key] = await listSigningKeys(root);
  await run('retireSigningKey', root, { kid: key?.kid });
  await run('resealSecrets', OPERATOR);
  await run('markFirstDay', root, { step: 'backup', done: true });
  await run('putChecklistAway', root, { list: 'service', away: true });
}

async function walkPeople(root: Person): Promise<void> {
  const email = 'una@example.com';
  const { id } = await run<{ id: string }>('createPerson', root, { email, password: SENT.password });
  await run('changePerson', root, { id, name: 'Una', email: 'una@example.org' });
  await run('setPassword', root, { id, password: `${SENT.password}-and-newer` });
  await run('sendPasswordReset', root, { id });
  await run('grantRole', root, { id, role: 'developer' });
  await run('revokeRole', root, { id, role: 'developer' });
  await run('createGroup', root, { id: 'staff', name: 'Staff' });
  await run('changeGroup', root, { id: 'staff', name: 'The staff' });
  await run('addGroupMember', root, { id: 'staff', person: id });
  await run('removeGroupMember', root, { id: 'staff', person: id });
  await run('setPersonGroups', root, { id, groups: ['staff'] });
  await run('deleteGroup', root, { id: 'staff' });
  await enrol(id);
  await run('resetFactors', root, { id });
  const [session] = await sql<{ id: string }>(
    `insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, last_seen_at, expires_at)
      values (sha256('one'), 'sign-in', 'local', $1, now(), now(), now() + interval '1 day')
      returning encode(id_hash, 'hex') as id`,
    [id],
  );
  await run('endSession', root, { id: session?.id });
  await run('endSessionsOf', root, { personId: id });
  await run('disablePerson', root, { id });
  await run('enablePerson', root, { id });
  await run('deletePerson', root, { id });
  await sql(`update auth_methods set config = '{"registration":"invite"}' where id = 'local'`);
  await run('invitePeople', root, { emails: ['ivy@example.com'] });
  const [ivy] = await sql<{ id: string }>('select id from person_registrations');
  await run('withdrawInvitation', root, { id: ivy?.id });
  await sql(
    `insert into person_registrations (auth_method_id, email, kind, state, handle_hash, password_hash, expires_at)
     select 'local', who || '@example.com', 'waiting', 'proved', sha256(who::bytea), 'x-hash-of-a-password',
       now() + interval '1 day' from unnest('{udo,uwe}'::text[]) who`,
  );
  await sql(`update auth_methods set config = '{"registration":"approval"}' where id = 'local'`);
  await run('approvePerson', root, { id: 'udo@example.com' });
  await run('rejectPerson', root, { id: 'uwe@example.com', ...SENTENCE });
  await run('invalidateIssued', OPERATOR, { before: new Date(now().getTime() - 86_400_000) });
}

async function walkAccount(root: Person): Promise<void> {
  const { id: zoe } = await givenPerson('zoe');
  let me = await actorOf(await signIn());
  await run('changeMyProfile', me, { name: 'Zoe', locale: 'de' });
  await run('requestEmailVerification', me);
  const { handle } = await run<{ handle: string }>('startAddressChange', me, { email: 'zoe@example.org' });
  const codeTo = async (to: string) => (await mailTo(to))[0]?.text.match(/code (\d{3} \d{3}) /)?.[1] ?? '';
  const codes = { codeHere: await codeTo('zoe@example.com'), codeThere: await codeTo('zoe@example.org') };
  await run('finishAddressChange', me, { handle, ...codes, browser: browserWith() });
  me = await actorOf(await signIn('zoe@example.org'));
  await run('changeMyPassword', me, { oldPassword: PASSWORD, password: SENT.password });
  await run('setPassword', root, { id: zoe, password: PASSWORD });
  const cookie = await signIn('zoe@example.org');
  me = await actorOf(cookie);
  const { secret } = await newTotp({ label: 'zoe' });
  secrets.add(secret);
  const app = { sealed: await sealApp(cookie, secret), code: codeOf(secret) };
  const added = await run<{ cookie: string }>('addMyTotp', me, { ...app, browser: browserWith(cookie) });
  const raised = held(added.cookie);
  me = await actorOf(raised);
  const { passkey } = await viewNewFactor(me);
  const response = new Authenticator(settings().authUrl).create(passkey?.options ?? '');
  const key = { state: passkey?.state, response, name: 'Phone', browser: browserWith(raised) };
  const more = await run<{ cookie: string }>('addMyPasskey', me, key);
  const latest = held(more.cookie);
  me = await actorOf(latest);
  const mine = (await readMyFactors(me)).passkeys[0]?.id;
  await run('renameMyPasskey', me, { id: mine, name: 'Old phone' });
  await run('renewMyRecoveryCodes', me);
  await run('removeMyPasskey', me, { id: mine });
  const other = await newTotp({ label: 'zoe' });
  secrets.add(other.secret);
  const id = await totpOf(zoe);
  const replaced = (await totpToReplace(zoe, id)) ?? undefined;
  const next = { sealed: await sealApp(latest, other.secret, replaced), code: codeOf(other.secret) };
  await run('replaceMyTotp', me, next);
  await sql(
    `insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at)
     values (sha256('three'), $1, 'local', now() + interval '1 day')`,
    [zoe],
  );
  await run('forgetMyBrowsers', me, { id: 'all' });
  await run('renameMyTotp', me, { id, name: 'My phone' });
  await run('removeMyTotp', me, { id });
  const [consent] = await sql<{ id: string }>(
    `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'shop', 'orders', '{read}') returning id`,
    [zoe],
  );
  await run('withdrawConsent', me, { id: consent?.id });
  await run('settleSubscription', CONFIGURATION, SHOP, SETTLED, 'pending');
  const until = new Date(now().getTime() + 86_400_000);
  const { id: given } = await run<{ id: string }>('giveDelegation', me, { ...SHOP, scopes: ['read'], until });
  await run('endMyDelegation', me, { id: given });
  await sql(`insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, last_seen_at, expires_at)
    values (sha256('two'), 'sign-in', 'local', '${zoe}', now(), now(), now() + interval '1 day')`);
  const [own] = await sql<{ id: string }>(
    "select encode(id_hash, 'hex') as id from sessions where id_hash = sha256('two')",
  );
  await run('nameMyDevice', me, { device: 'session', id: own?.id, name: 'Kitchen' });
  await run('endMySession', me, { id: own?.id });
  await run('endMySessions', me, { keepCurrent: true });
  const alice = await givenLocal('alice');
  const stranger = await givenStranger('v-1', { email: 'vera@work.example' });
  await run('linkIdentity', alice.actor, { proof: await proofOf(stranger.personId, alice) });
  await run('unlinkIdentity', alice.actor, { authMethodId: 'brk' });
  await run('deleteMyAccount', me, { word: 'delete' });
}

beforeAll(async () => {
  await givenMethods();
  for (const one of [...Object.values(SENT), PASSWORD]) secrets.add(one);
  const root = await givenPerson('root', 'administrator');
  const dev = await givenPerson('dev', 'developer');
  await walkClients(root, dev);
  await walkRegistry(root);
  await walkAccount(root);
  await walkPeople(root);
  await run('cancelSubscription', dev, { ...SHOP });
  await run('deleteClient', dev, { clientId: 'shop' });
});

const changing = OPERATION_NAMES.filter((name) => !READING.test(name));

test('every changing operation runs here and writes an audit event, except the listed ones', () => {
  expect([...silent].toSorted()).toEqual(UNRECORDED);
  expect(changing.filter((name) => !done.has(name)).toSorted()).toEqual(ELSEWHERE.toSorted());
});

test('audit events contain no service secrets, even in before and after values', async () => {
  const found = await sql<{ event: string; details: string }>(
    'select event, details::text from audit_events',
  );
  expect(found.length).toBeGreaterThan(changing.length);
  const texts = found.map(({ event, details }) => `${event} ${details}`);
  const known = [...secrets].filter((one) => one.length >= 6);
  expect(known.length).toBeGreaterThan(60);
  const leaked = texts.filter((text) => known.some((one) => text.includes(JSON.stringify(one).slice(1, -1))));
  expect(leaked).toEqual([]);
  // proves that the test would find a secret
  expect(texts.some((text) => text.includes('https://shop.example/cb'))).toBe(true);
});
