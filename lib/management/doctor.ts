// The doctor checks each part of the service, and the database before an upgrade.

import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/callback.ts';
import { claimFault, methodCan, requiredClaimFaultAt } from '#lib/catalogue/methods/questions.ts';
import { countWithoutFactor, hasAdministrator, selectSharedNames } from '#lib/catalogue/people/rows.ts';
import { selectRequiredClaims } from '#lib/catalogue/subscriptions/rows.ts';
import { isPublished } from '#lib/keys/keys.ts';
import { machineNow, now, utcMinute } from '#lib/kit/clock.ts';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { inEnglish } from '#lib/language/words.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { addressesOf, formerIssuerBase } from '#lib/registry/issuers.ts';
import { areRandom, settings } from '#lib/settings/settings.ts';
import { GUESSABLE } from '#lib/settings/start-warnings.ts';
import { countLeftOut } from '#lib/store/audit.ts';
import { type DatabaseFacts, inspectDatabase } from '#lib/store/database.ts';
import { countOldPasskeys } from '#lib/store/factors.ts';
import { SUBJECT_SALT_ID } from '#lib/store/keys.ts';
import {
  inspectBeforeUpgrade,
  newerSchema,
  otherFunctions,
  readMigrations,
  type UpgradeFacts,
  unknownMigration,
} from '#lib/store/migrate.ts';
import { whyUnreachable } from '#lib/store/pool.ts';
import { database } from '#lib/store/prisma.ts';
import { countPepperSeals, countTotpSeals } from '#lib/store/reseal.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { selectMaintenance } from '#lib/store/service-state.ts';
import { currentSnapshot, type Snapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import { MANAGEMENT_API } from './built-in.ts';
import type { TestStep } from './connection-steps.ts';
import { mailServerSteps, methodSteps } from './connections.ts';
import { claimFaultAt } from './consequences.ts';
import { countOldSeals } from './keys.ts';

export const doctorFinding = z.strictObject({
  check: z.string(),
  state: z.enum(['ok', 'warning', 'broken']),
  detail: z.string(),
});
export type Finding = z.output<typeof doctorFinding>;

/**
 * Returns the address of the guide at this service, because packages and images do not contain `docs/`. `place`: for
 * example `ldap#testing-it`.
 */
const guideAt = (place: string): string => `${settings().baseUrl}/documentation/guides/${place}`;

/** A number with its noun: `1 client`, `2 clients`. */
const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

const finding =
  (state: Finding['state']) =>
  (check: string, detail: string): Finding => ({ check, state, detail });

const warning = finding('warning');
const ok = finding('ok');
const broken = finding('broken');

// Checks stored group rules and required claims. After an upgrade or a change of a method, validation might reject
// some of them.

const guide = () => guideAt('groups#who-is-in-a-group');
const NOWHERE = { claim: '', values: '' };

/** Returns a finding for each rule whose claim the method cannot prove. */
async function examineAuthority(snapshot: Snapshot): Promise<Finding[]> {
  return [...weakRules(snapshot), ...(await weakRequiredClaims(snapshot))];
}

function weakRules({ methods }: Snapshot): Finding[] {
  return [...methods.values()].flatMap((method) =>
    (method.groupRules ?? []).flatMap((rule) => {
      const fault = claimFault(method, rule);
      if (fault === null) return [];
      const { message } = claimFaultAt(method.id, fault, NOWHERE);
      return warning(
        'group rules',
        `the rule of ${rule.group} on ${rule.claim} by ${method.id} adds no one: ${message}; see ${guide()}`,
      );
    }),
  );
}

async function weakRequiredClaims({ apis, methods }: Snapshot): Promise<Finding[]> {
  const requiredClaims = await selectRequiredClaims(database());
  return requiredClaims.flatMap(({ clientId, apiId, requiredClaim }) =>
    (apis.get(apiId)?.authMethods ?? []).flatMap((id) => {
      const method = methods.get(id);
      const fault = method ? requiredClaimFaultAt(method, requiredClaim) : null;
      if (fault === null) return [];
      const { message } = claimFaultAt(id, fault, NOWHERE);
      // the stored condition stays in effect: rejecting it would sign out users during an upgrade
      const [state, effect] =
        fault.kind === 'tenant'
          ? [warning, 'admits no one']
          : [broken, 'admits anyone who can set the claim'];
      return state(
        'required_claim',
        `${requiredClaim.name} of ${clientId} at ${apiId} by ${id} ${effect}: ${message}; see ${guide()}`,
      );
    }),
  );
}

// Database latency: every request waits for the database at least once.

/**
 * A database is far away if a round trip takes at least this many milliseconds. Typical: 1 to 5 ms within a
 * region, 10 ms or more between regions.
 */
const FAR_MS = 10;

/** The regions of Vercel, each with the name of the AWS region in which it runs (vercel.com/docs/regions). */
const REGIONS: Readonly<Record<string, string>> = {
  ...{ arn1: 'eu-north-1', bom1: 'ap-south-1', cdg1: 'eu-west-3', cle1: 'us-east-2', cpt1: 'af-south-1' },
  ...{ dub1: 'eu-west-1', dxb1: 'me-central-1', fra1: 'eu-central-1', gru1: 'sa-east-1', hkg1: 'ap-east-1' },
  ...{ hnd1: 'ap-northeast-1', iad1: 'us-east-1', icn1: 'ap-northeast-2', kix1: 'ap-northeast-3' },
  ...{
    lhr1: 'eu-west-2',
    pdx1: 'us-west-2',
    sfo1: 'us-west-1',
    sin1: 'ap-southeast-1',
    syd1: 'ap-southeast-2',
  },
};
const REGION = /\b(?:af|ap|ca|eu|il|me|sa|us)-(?:[a-z]+)-\d\b/;

const examineDistance = ({ roundTripMs }: DatabaseFacts): Finding =>
  distanceFinding(roundTripMs, settings().region, URL.parse(settings().databaseUrl)?.hostname ?? '');

/** `region`: region of Vercel; null: the service runs elsewhere. `host`: host of the database. */
export function distanceFinding(fastestMs: number, region: string | null, host: string): Finding {
  const took = `${fastestMs < 1 ? fastestMs.toFixed(1) : Math.round(fastestMs)} ms to the database and back`;
  const here = region === null ? undefined : ownValue(REGIONS, region);
  const there = REGION.exec(host)?.[0];
  if (here !== undefined && there !== undefined && here !== there)
    return warning(
      'round trip',
      `${took}: the functions run in ${region} (${here}), the database in ${there}; choose one region for both`,
    );
  if (fastestMs > FAR_MS)
    return warning('round trip', `${took}: bring the service and the database closer together`);
  return ok('round trip', took);
}

// Checks that the host of each issuer and each former issuer leads to this service, by requesting metadata (RFC 8414
// §3).

const AT_MOST = 20;
/** The path at which clients look for metadata at every service. */
const NAME = '/.well-known/openid-configuration';

async function examineIssuerHosts({ apis }: Snapshot): Promise<Finding[]> {
  const hosts = [...apis.values()].flatMap((api) =>
    api.authMethods.flatMap((method) => {
      return addressesOf(api, method).map(({ url, end }) => ({
        check: `${end === Infinity ? 'host' : 'former issuer'} of ${method} at ${api.id}`,
        url,
        end,
      }));
    }),
  );
  const findings = await Promise.all(hosts.slice(0, AT_MOST).map(ask));
  const left = hosts.length - findings.length;
  if (left > 0)
    findings.push({ state: 'warning', check: 'hosts of issuers', detail: `${left} more were not checked` });
  return findings;
}

async function ask({ check, url, end }: { check: string; url: string; end: number }): Promise<Finding> {
  if (end <= now().getTime())
    return { state: 'warning', check, detail: `${url} no longer responds: its last day has passed` };
  const guide = guideAt(end === Infinity ? 'issuer-hosts' : 'old-service#keep-the-old-addresses');
  const elsewhere = (what: string): Finding => ({
    state: 'warning',
    check,
    detail: `${url} does not lead to this service: ${what}; see ${guide}`,
  });
  try {
    // private addresses are allowed, because the operator chose the host name and it may resolve inside a private
    // network
    const answer = await outboundFetch({ allowPrivateNetwork: true })(`${formerIssuerBase(url)}${NAME}`);
    if (answer.status !== 200) return elsewhere(`${NAME} answers ${answer.status}`);
    const metadata: unknown = await answer.json().catch(() => null);
    const issuer = (metadata as { issuer?: unknown } | null)?.issuer;
    if (issuer === url) return { state: 'ok', check, detail: `${url} leads to this service` };
    return elsewhere(
      typeof issuer === 'string' ? `its issuer is ${issuer.slice(0, 200)}` : 'it returns no issuer metadata',
    );
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as { code?: string } | undefined)?.code;
    return elsewhere(`${message}${code ? ` (${code})` : ''}`);
  }
}

// Checks verifiers, brokers and directories with the requests of a connection test that send no secret. The only
// exception is the bind with the search account of a directory.

/**
 * Checks the external services of sign-in methods: whether they can be reached, whether they are correct, and which
 * addresses must be registered there.
 */
async function examineMethods(snapshot: Snapshot): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const method of snapshot.methods.values()) {
    const steps = await methodSteps(method, 'by the doctor');
    findings.push(...findingsOf(`${method.type} ${method.id}`, steps));
    if (methodCan(method, 'redirects')) findings.push(callback(method, snapshot));
  }
  return findings;
}

/** The callback address that must be registered at the broker. Only the broker can confirm that it is registered. */
function callback(method: SnapshotMethod, { methods }: Snapshot): Finding {
  const check = `callback ${method.id}`;
  const callbackUris = ownCallbackUris(method.id).join(' and ');
  const others = [...methods.values()].filter(
    (snapshotMethod) =>
      snapshotMethod.id !== method.id &&
      methodCan(snapshotMethod, 'redirects') &&
      callbackOf(snapshotMethod) === SHARED_CALLBACK,
  );
  const shared = others.map((other) => other.id).join(', ');
  if (callbackOf(method) !== SHARED_CALLBACK) {
    const only =
      shared === '' ? '' : `, and ${SHARED_CALLBACK}, which ${shared} uses, must not be registered`;
    return ok(check, `not tested: ${callbackUris} must be registered at the broker${only}`);
  }
  if (shared !== '') {
    const both = `${SHARED_CALLBACK} is also used by ${shared}: responses without iss are rejected; see ${guideAt('brokers')}`;
    return warning(check, both);
  }
  const better =
    ownCallback(method.id) === SHARED_CALLBACK ? '' : `; better: ${callbackUris}, see ${guideAt('brokers')}`;
  return ok(check, `not tested: ${SHARED_CALLBACK} must be registered at the broker${better}`);
}

/** Returns a line for each call, and further lines for problems. */
function findingsOf(check: string, steps: TestStep[]): Finding[] {
  const relevantSteps = steps.filter(({ state, sent }) => sent !== null || state !== 'ok');
  return relevantSteps.map(({ state, sent, answered, found, change }) => {
    const requestText = [sent, answered === null ? '' : ` answers ${answered.split(':')[0]}`].join('');
    const meaning = [found, ...(change ? [change] : [])].map(inEnglish).join(' ');
    return finding(state === 'skipped' ? 'warning' : state)(
      check,
      requestText === '' ? meaning : `${requestText}: ${meaning}`,
    );
  });
}

// Checks of the doctor about operation: mail, database role, administrators, maintenance. The first-day checklists
// use them, too.

/** Milliseconds after which a maintenance run is late: two intervals of the timer, or a day and two hours. */
const LATE_MS = { timer: 30 * 60_000, scheduler: 26 * 3_600_000 };

/** Checks only the settings; `examineMailServer` calls the server. */
function examineMail(): Finding {
  const { smtpUrl, local } = settings();
  if (smtpUrl !== null) return ok('mail', `not tested: ${new URL(smtpUrl).host}`);
  if (local) return ok('mail', 'kept on this machine, because SMTP_URL is not set');
  return warning('mail', 'reaches no one: set SMTP_URL');
}

/** Connects, encrypts and logs in, without sending a mail. */
async function examineMailServer(): Promise<Finding[]> {
  const { smtpUrl } = settings();
  if (smtpUrl === null) return [];
  const steps = (await mailServerSteps()).filter(({ state }) => state !== 'skipped');
  // other machines cannot read a connection within this machine
  const matters = isLoopbackHost(new URL(smtpUrl).hostname)
    ? steps.filter(({ state }) => state !== 'warning')
    : steps;
  return findingsOf('mail', matters);
}

/** Checks the rights of the database role, except for a local service. */
export function databaseRole({ ownsAudit }: DatabaseFacts): Finding[] {
  if (settings().local || ownsAudit === null) return [];
  if (!ownsAudit) return [ok('database role', 'cannot change the schema or the audit log')];
  return [
    warning(
      'database role',
      `can change the audit log: use a separate role for the service (gatehouse migrate --service-role); see ${guideAt('audit#append-only')}`,
    ),
  ];
}

/** Checks administrators and their factors. Counts only users of local methods: other methods do not report factors. */
export async function examineAdministrators(): Promise<Finding> {
  const db = database();
  if (!(await hasAdministrator(db)))
    return warning('administrators', 'none yet: run gatehouse user create EMAIL --role administrator');
  const without = await countWithoutFactor(db, ['administrator']);
  if (without === 0) return ok('administrators', 'all have a second factor');
  const who = formatCount(without, 'administrator');
  return warning('administrators', `${who} without a second factor; see ${guideAt('second-factors')}`);
}

/** Checks the last maintenance run of any instance. */
async function examineMaintenance(): Promise<Finding> {
  const turn = await selectMaintenance(database());
  if (turn?.failedAt) {
    return warning('maintenance', `failed at ${utcMinute(turn.failedAt)}: ${turn.failure ?? ''}`);
  }
  if (!turn?.finishedAt) return warning('maintenance', 'has not run yet: it runs while the service runs');
  const lateMs = settings().lasting ? LATE_MS.timer : LATE_MS.scheduler;
  const at = `last run at ${utcMinute(turn.finishedAt)}`;
  if (machineNow().getTime() - turn.finishedAt.getTime() > lateMs) return warning('maintenance', at);
  return ok('maintenance', turn.complete ? at : `${at}; more rows are left to delete`);
}

// Checks that Gatehouse’s pages reach a browser unchanged. If a proxy sets `Referrer-Policy: no-referrer`, browsers
// send `Origin: null` with each form (Fetch §3.2), which looks like a form of another site.

/** A page with a form that can be reached without a session. */
const PAGE = '/logout';

function examinePages(): Promise<Finding[]> {
  const { baseUrl, authUrl } = settings();
  return Promise.all([...new Set([baseUrl, authUrl])].map(examineAt));
}

async function examineAt(origin: string): Promise<Finding> {
  const check = `pages at ${origin}`;
  try {
    // private addresses are allowed, because the operator chose the host name and it may resolve inside a private
    // network
    const answer = await outboundFetch({ allowPrivateNetwork: true })(`${origin}${PAGE}`);
    const policy = effectivePolicy(answer.headers.get('referrer-policy'));
    if (answer.status !== 200) return warning(check, `${PAGE} answers ${answer.status}`);
    if (policy !== 'no-referrer') return ok(check, `Referrer-Policy ${policy ?? 'is missing'}`);
    return warning(
      check,
      `a proxy sets Referrer-Policy: no-referrer. Browsers then send Origin: null, and some get 403 for each form; see ${guideAt('deploy-node')}`,
    );
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as { code?: string } | undefined)?.code;
    return warning(check, `${PAGE} does not respond: ${message}${code ? ` (${code})` : ''}`);
  }
}

/** Returns the policy that applies: the last of several policies (Referrer Policy §8.1). */
const effectivePolicy = (header: string | null) => header?.split(',').at(-1)?.trim().toLowerCase();

// Checks of the doctor about users: passkeys of a previous domain cannot be used, users may lack a second factor, and
// missing claims affect access.

/** Returns a finding if some passkeys cannot be used. */
async function examinePasskeys(): Promise<Finding[]> {
  const { passkeyRpId } = settings();
  const { passkeys, people, rpIds } = await countOldPasskeys(passkeyRpId);
  if (passkeys === 0) return [];
  const detail =
    `${formatCount(passkeys, 'passkey')} of ${formatCount(people, 'person', 'people')}, created for ${rpIds.join(', ')}, cannot be used at ${passkeyRpId}: set PASSKEY_RP_ID to a domain ` +
    `above both hosts, or reset the factors of these people (gatehouse user reset-factors); see ${guideAt('second-factors')}`;
  return [warning('passkeys', detail)];
}

/** Returns findings about claims that were omitted in the last seven days. */
async function examineClaims(): Promise<Finding[]> {
  const counts = await countLeftOut();
  return counts.map(({ event, apiId, authMethodId, people, claims }) => {
    const many = formatCount(people, 'person', 'people');
    const what = claims.join(', ');
    if (event === 'groups.overage')
      return warning(
        `groups by ${authMethodId}`,
        `did not send ${what} of ${many} in the last 7 days, so their groups did not change: in Entra, assign groups to the application, or use app roles; see ${guideAt('groups')}`,
      );
    const [check, advice] =
      apiId === null
        ? [`claims by ${authMethodId}`, 'map fewer claims, or configure the provider to send less']
        : [`claims at ${apiId}`, 'list fewer groups in groups_claim, or fewer claims in token_claims'];
    return warning(
      check,
      `${what} of ${many} omitted in the last 7 days, because all claims together exceeded 8 KiB: ${advice}; see ${guideAt('groups')}`,
    );
  });
}

/** Returns a finding if an id, user name or kept subject identifies several users. */
async function examineNames(): Promise<Finding[]> {
  const shared = await selectSharedNames(database());
  return shared.map(({ name, people }) =>
    warning(
      'user names',
      `${name} is an id, user name or subject of several users (${people.join(', ')}), so commands with this name are rejected: change the user name of one of them; see ${guideAt('import-formats#names-of-users')}`,
    ),
  );
}

// Checks whether AUDIT_WEBHOOK_URL responds, without sending an event. The test in the console sends one.

const CHECK = 'audit webhook';

/** Returns nothing if no webhook is set. */
async function examineWebhook(): Promise<Finding[]> {
  const { webhook } = settings();
  if (webhook === null) return [];
  const { url, allowPrivateNetwork } = webhook;
  try {
    const { status } = await outboundFetch({ allowPrivateNetwork })(url);
    if (status >= 500) return [broken(CHECK, `${url} responds to GET with ${status}`)];
    // a receiver that accepts only POST responds with 405, a receiver behind a login with 401
    const state = status === 404 || status === 410 ? 'warning' : 'ok';
    return [finding(state)(CHECK, `${url} responds to GET with ${status}; the signature was not tested`)];
  } catch (error) {
    const reason = error instanceof OutboundFailed ? error.reason : (error as Error).message;
    return [broken(CHECK, `${url} does not respond: ${reason}`)];
  }
}

const MAX_SKEW_SECONDS = 5;

/**
 * `prisma`: folder with migrations and functions of this version, for comparison. If it is missing, any schema is
 * accepted.
 */
export async function examine(prisma?: string): Promise<Finding[]> {
  const here = await examineHere(prisma);
  if (here.some(isEnd)) return here;
  const elsewhere = await examineElsewhere();
  const tried = new Set(elsewhere.map(({ check }) => check));
  return [...here.filter(({ check }) => !tried.has(check)), ...elsewhere];
}

/** True if the examination ends after this finding, because the database or the schema is broken. */
const isEnd = ({ check, state }: Finding) =>
  state === 'broken' && (check === 'database' || check === 'schema');

/** Checks the service and its database, without calling external services. */
export async function examineHere(prisma?: string): Promise<Finding[]> {
  const findings = [examineSettings(), ...examineSecret(), examineMail()];
  let database: DatabaseFacts;
  try {
    database = await inspectDatabase();
  } catch (error) {
    const why = whyUnreachable(error) ?? (error as Error).message;
    return [...findings, broken('database', `not reachable: ${why}`)];
  }
  findings.push(
    ok('database', `PostgreSQL ${database.version}`),
    examineDistance(database),
    ...commits(database),
    ...databaseRole(database),
    ...connectionsAndText(database),
    clock(database.now),
  );
  if (database.schema === null) return [...findings, broken('schema', 'not migrated: run gatehouse migrate')];
  findings.push(await schema(database.schema, prisma));
  const snapshot = await currentSnapshot();
  findings.push(
    keys(snapshot),
    ...salt(snapshot),
    ...(await oneTimeCodes()),
    ...(await peppers()),
    ...(await examinePasskeys()),
    ...(await examineClaims()),
    ...(await examineNames()),
    ...(await examineAuthority(snapshot)),
    await seals(),
    registryFinding(snapshot),
    await examineAdministrators(),
    await examineMaintenance(),
  );
  return findings;
}

/**
 * Calls the mail server, verifiers, brokers, issuer hosts, the audit webhook, and Gatehouse’s pages behind their
 * proxy.
 */
export async function examineElsewhere(): Promise<Finding[]> {
  const snapshot = await currentSnapshot();
  const checks = [
    examineMailServer(),
    examineMethods(snapshot),
    examineIssuerHosts(snapshot),
    examineWebhook(),
    examinePages(),
  ];
  return (await Promise.all(checks)).flat();
}

export function examineSettings(): Finding {
  const { baseUrl, authUrl } = settings();
  const plain = [baseUrl, authUrl].find(
    (url) => /^http:/.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url),
  );
  if (plain !== undefined) return warning('settings', `${plain} is not https`);
  return ok('settings', `BASE_URL ${baseUrl}, AUTH_URL ${authUrl}`);
}

/** Checks GATEHOUSE_SECRET. A generated secret and a local service are not checked. */
export function examineSecret(): Finding[] {
  const { local, secrets } = settings();
  return local || areRandom(secrets) ? [] : [warning('secret', GUESSABLE)];
}

/** Returns a finding if PostgreSQL confirms a commit before the commit is durable. */
function commits({ commit, replicas }: DatabaseFacts): Finding[] {
  const lost = `issued tokens may be lost, and used tokens may work again; see ${guideAt('failover')}`;
  if (commit === 'off')
    return [warning('commits', `synchronous_commit is off: after a crash of PostgreSQL, ${lost}`)];
  if (commit === 'local' && replicas !== '')
    return [warning('commits', `synchronous_commit is local: after a failover to a replica, ${lost}`)];
  return [];
}

/** Checks for a pooler that breaks sessions, and for indexes that were built with a different collation. */
function connectionsAndText({ pooler, collation }: DatabaseFacts): Finding[] {
  const findings = pooler === null ? [] : [broken('connections', pooler)];
  if (collation === null) return findings;
  const { recorded, actual } = collation;
  const detail = `the indexes were built with version ${recorded} of the collation, and ${actual ?? 'none'} is in use: run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION; see ${guideAt('database#another-operating-system-or-image')}`;
  return [...findings, warning('collation', detail)];
}

function clock(databaseNow: Date): Finding {
  const skew = Math.abs(machineNow().getTime() - databaseNow.getTime()) / 1000;
  return (skew > MAX_SKEW_SECONDS ? broken : ok)('clock', `${skew.toFixed(1)} s from the database`);
}

async function schema(newest: string, folder: string | undefined): Promise<Finding> {
  if (folder === undefined) return ok('schema', newest);
  const migrationNames = (await readMigrations(path.join(folder, 'migrations'))).map(({ name }) => name);
  if (!migrationNames.includes(newest))
    return (await newerSchema(migrationNames)).fits
      ? warning('schema', `${newest}, of a newer, compatible version`)
      : broken('schema', unknownMigration(newest, migrationNames));
  const wanted = migrationNames.at(-1);
  if (wanted !== newest)
    return broken('schema', `${newest}, but this version requires ${wanted}: run gatehouse migrate`);
  const other = await otherFunctions(path.join(folder, 'functions'));
  if (other.length === 0) return ok('schema', newest);
  return broken('schema', `functions of another version: ${other.join(', ')}: run gatehouse migrate`);
}

function keys(snapshot: Snapshot): Finding {
  const usable = snapshot.keys.filter(isPublished);
  const shut = usable.filter((key) => openFromRow('signing_keys', key.kid, key.sealedPrivate) === null);
  if (shut.length > 0)
    return broken('keys', `${formatCount(shut.length, 'key')} sealed with another GATEHOUSE_SECRET`);
  if (usable.length === 0) return ok('keys', 'none yet: the first is created when it is needed');
  return ok('keys', `${usable.length} published`);
}

/** Checks the salt of pairwise subject identifiers, if it is used. A salt that was lost is never replaced. */
function salt({ sealedSubjectSalt: sealed }: Snapshot): Finding[] {
  if (sealed === null || openFromRow('subject_salt', SUBJECT_SALT_ID, sealed) !== null) return [];
  return [broken('pairwise subjects', 'their salt was sealed with another GATEHOUSE_SECRET')];
}

/** Returns a finding if some TOTP secrets cannot be unsealed. */
async function oneTimeCodes(): Promise<Finding[]> {
  const { shut } = await countTotpSeals(database());
  if (shut === 0) return [];
  const secrets = formatCount(shut, 'secret');
  return [broken('one-time codes', `${secrets} sealed with another GATEHOUSE_SECRET`)];
}

/** Returns a finding if the peppers of some imported hashes cannot be unsealed. */
async function peppers(): Promise<Finding[]> {
  const { shut } = await countPepperSeals(database());
  if (shut === 0) return [];
  return [broken('peppers', `${formatCount(shut, 'kept password')} sealed with another GATEHOUSE_SECRET`)];
}

/**
 * Checks for values with an old seal. GATEHOUSE_SECRET must contain an older secret as long as a value is
 * sealed with it.
 */
async function seals(): Promise<Finding> {
  const count = await countOldSeals();
  if (count === 0) return ok('sealed values', 'all with the first GATEHOUSE_SECRET');
  return warning('sealed values', `${count} with an older GATEHOUSE_SECRET: run gatehouse keys reseal`);
}

export function registryFinding({ apis, clients }: Snapshot): Finding {
  const apiCount = [...apis.keys()].filter((id) => id !== MANAGEMENT_API).length;
  if (apiCount === 0) return warning('registry', 'no API yet: apply a configuration');
  return ok('registry', `${formatCount(apiCount, 'API')}, ${formatCount(clients.size, 'client')}`);
}

// `doctor --before-upgrade`: the new version examines the database of the old version before it migrates it.

const OLDEST_POSTGRES = 14;
const LEAST_FREE_BYTES = 256 * 2 ** 20;

/** `prisma`: folder with migrations and functions of this version. */
export async function examineBeforeUpgrade(prisma: string): Promise<Finding[]> {
  let facts: UpgradeFacts;
  try {
    facts = await inspectBeforeUpgrade(prisma);
  } catch (error) {
    const why = whyUnreachable(error) ?? (error as Error).message;
    return [examineSettings(), broken('database', `not reachable: ${why}`)];
  }
  return [
    examineSettings(),
    server(facts),
    rights(facts),
    ...examineSchemaVersion(facts),
    ...migrations(facts),
    secrets(facts),
    ...obstacles(facts),
    await space(facts),
  ];
}

function server({ number, readOnly }: UpgradeFacts): Finding {
  const version = Math.floor(number / 10_000);
  if (version < OLDEST_POSTGRES)
    return broken('database', `PostgreSQL ${version}: this version requires ${OLDEST_POSTGRES} or later`);
  if (readOnly)
    return broken('database', `PostgreSQL ${version}, read-only: run the migration on the primary server`);
  return ok('database', `PostgreSQL ${version}`);
}

function rights({ powerless, pending }: UpgradeFacts): Finding {
  if (powerless === null) return ok('rights', 'can change the schema');
  const detail = `the role ${powerless} cannot change the schema: run gatehouse migrate with the owner’s DATABASE_URL`;
  return pending.length > 0
    ? broken('rights', detail)
    : ok('rights', `the role ${powerless} is sufficient: there is no migration to run`);
}

function examineSchemaVersion({ newer, known, changed, empty }: UpgradeFacts): Finding[] {
  const [name] = newer.names;
  if (name !== undefined && newer.fits)
    return [warning('schema', `of a newer, compatible version (${name}): this is not an upgrade`)];
  if (name !== undefined) return [broken('schema', unknownMigration(name, known))];
  if (changed.length > 0)
    return [broken('schema', `not of this version: ${changed.join(', ')} changed after it was applied`)];
  return [ok('schema', empty ? 'none yet: everything will be created' : 'of this version or an older one')];
}

function migrations({ pending, functions, newer }: UpgradeFacts): Finding[] {
  if (newer.names.length > 0) return [];
  const each = pending.map(({ name, contracts }) =>
    contracts.length === 0
      ? ok('migration', `${name} would run, and is compatible with the old version, which can keep serving`)
      : warning(
          'migration',
          `${name} would run, and ${contracts.join(', ')}: stop the processes of the old version first`,
        ),
  );
  const none = pending.length === 0 ? [ok('migration', 'none would run')] : [];
  const replaced =
    functions.length === 0
      ? 'none would change'
      : `${formatCount(functions.length, 'function')} would change`;
  return [...each, ...none, ok('functions', replaced)];
}

function secrets({ sealed }: UpgradeFacts): Finding {
  const shut = sealed.filter(({ table, id, sealed: value }) => openFromRow(table, id, value) === null);
  if (shut.length > 0)
    return broken(
      'secrets',
      `${shut.length} of ${formatCount(sealed.length, 'value')} sealed with another GATEHOUSE_SECRET`,
    );
  return ok(
    'secrets',
    sealed.length === 0
      ? 'there are no sealed values yet'
      : `GATEHOUSE_SECRET opens ${sealed.length === 1 ? 'the only one' : `all ${sealed.length}`}`,
  );
}

function obstacles(facts: UpgradeFacts): Finding[] {
  const { migrating, transactions, invalidIndexes, sequences } = facts;
  const running = transactions.map(({ pid, program, seconds }) => `${program} (pid ${pid}) for ${seconds} s`);
  return [
    migrating
      ? warning('locks', 'another migration is running: this one would wait for it')
      : ok('locks', 'no migration running'),
    running.length === 0
      ? ok('transactions', 'no long transactions')
      : warning('transactions', `a migration would wait for ${running.join(', ')}`),
    invalidIndexes.length === 0
      ? ok('indexes', 'all indexes valid')
      : warning(
          'indexes',
          `not valid: ${invalidIndexes.join(', ')}: run REINDEX INDEX CONCURRENTLY, or the migration that creates it`,
        ),
    ...(sequences.length === 0 ? [] : [warning('sequences', `almost exhausted: ${sequences.join(', ')}`)]),
  ];
}

/** Checks the free disk space in the data folder of a local server, because PostgreSQL does not report it. */
async function space({ bytes, folder }: UpgradeFacts): Promise<Finding> {
  const size = `the size of the database is ${mebibytes(bytes)}`;
  const here = /^(?:localhost|127\.|\[::1\])/.test(URL.parse(settings().directUrl)?.hostname ?? '');
  const free = here && folder !== null ? await freeIn(folder) : null;
  if (free === null) return ok('space', `${size}; check the free disk space yourself`);
  const detail = `${size}, and ${mebibytes(free)} are free`;
  return free < LEAST_FREE_BYTES ? broken('space', detail) : ok('space', detail);
}

async function freeIn(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
