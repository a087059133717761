// The doctor's examination: what the service depends on, part by part, and what was found.
import path from 'node:path';
import { isPublished } from '#lib/keys/keys.ts';
import { machineNow } from '#lib/kit/clock.ts';
import { areRandom } from '#lib/settings/secrets.ts';
import { settings } from '#lib/settings/settings.ts';
import { GUESSABLE } from '#lib/settings/start-warnings.ts';
import { type DatabaseFacts, inspectDatabase } from '#lib/store/database/database.ts';
import { whyUnreachable } from '#lib/store/database/pool.ts';
import { database } from '#lib/store/database/prisma.ts';
import { openFromRow } from '#lib/store/database/sealed.ts';
import { otherFunctions } from '#lib/store/migrations/functions.ts';
import { readMigrations, unknownMigration } from '#lib/store/migrations/migrate.ts';
import { newerSchema } from '#lib/store/migrations/newer-schema.ts';
import { countPepperSeals } from '#lib/store/people/pepper-seals.ts';
import { countTotpSeals } from '#lib/store/people/totp-seals.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { SUBJECT_SALT_ID } from '#lib/store/registry/subject-salt.ts';
import { MANAGEMENT_API } from '../core/built-in.ts';
import { countOldSeals } from '../registry/reseal.ts';
import { examineAuthority } from './doctor-authority.ts';
import { examineDistance } from './doctor-distance.ts';
import { type Finding, finding, formatCount, guideAt } from './doctor-finding.ts';
import { examineIssuerHosts } from './doctor-hosts.ts';
import { examineMethods } from './doctor-methods.ts';
import {
  databaseRole,
  examineAdministrators,
  examineMail,
  examineMailServer,
  examineMaintenance,
} from './doctor-operation.ts';
import { examinePages } from './doctor-pages.ts';
import { examineClaims, examineNames, examinePasskeys } from './doctor-people.ts';
import { examineWebhook } from './doctor-webhook.ts';

const MAX_SKEW_SECONDS = 5;
const [ok, warning, broken] = [finding('ok'), finding('warning'), finding('broken')];

/** `prisma`: the folder of this version's migrations and functions, to compare with; left out, any schema will do. */
export async function examine(prisma?: string): Promise<Finding[]> {
  const here = await examineHere(prisma);
  if (here.some(isEnd)) return here;
  const elsewhere = await examineElsewhere();
  const tried = new Set(elsewhere.map(({ check }) => check));
  return [...here.filter(({ check }) => !tried.has(check)), ...elsewhere];
}

/** Without it there is nothing else to ask. */
const isEnd = ({ check, state }: Finding) =>
  state === 'broken' && (check === 'database' || check === 'schema');

/** What this service and its database say, without a call to another one. */
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
 * The mail server, verifiers, brokers, hosts of issuers, the audit webhook, and our pages behind their proxy: each is
 * called.
 */
export async function examineElsewhere(): Promise<Finding[]> {
  const snapshot = await currentSnapshot();
  const found = [
    examineMailServer(),
    examineMethods(snapshot),
    examineIssuerHosts(snapshot),
    examineWebhook(),
    examinePages(),
  ];
  return (await Promise.all(found)).flat();
}

export function examineSettings(): Finding {
  const { baseUrl, authUrl } = settings();
  const plain = [baseUrl, authUrl].find(
    (url) => /^http:/.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url),
  );
  if (plain !== undefined) return warning('settings', `${plain} is not https`);
  return ok('settings', `BASE_URL ${baseUrl}, AUTH_URL ${authUrl}`);
}

/** Nothing of one that was made, or of a service that only this machine reaches. */
export function examineSecret(): Finding[] {
  const { local, secrets } = settings();
  return local || areRandom(secrets) ? [] : [warning('secret', GUESSABLE)];
}

/** Nothing where a commit is reported when it will last. */
function commits({ commit, replicas }: DatabaseFacts): Finding[] {
  const lost = `tokens that were given may be forgotten, and used ones work again; see ${guideAt('high-availability')}`;
  if (commit === 'off')
    return [warning('commits', `synchronous_commit is off: after a crash of PostgreSQL ${lost}`)];
  if (commit === 'local' && replicas !== '')
    return [warning('commits', `synchronous_commit is local: once a replica leads ${lost}`)];
  return [];
}

/** A pooler that loses what connections rest on, and indexes that were built in another order. */
function connectionsAndText({ pooler, collation }: DatabaseFacts): Finding[] {
  const found = pooler === null ? [] : [broken('connections', pooler)];
  if (collation === null) return found;
  const { recorded, actual } = collation;
  const detail = `text was indexed by version ${recorded} of the collation, ${actual ?? 'none'} is in use: run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION; see ${guideAt('operations')}`;
  return [...found, warning('collation', detail)];
}

function clock(databaseNow: Date): Finding {
  const skew = Math.abs(machineNow().getTime() - databaseNow.getTime()) / 1000;
  return (skew > MAX_SKEW_SECONDS ? broken : ok)('clock', `${skew.toFixed(1)} s from the database`);
}

async function schema(newest: string, folder: string | undefined): Promise<Finding> {
  if (folder === undefined) return ok('schema', newest);
  const known = (await readMigrations(path.join(folder, 'migrations'))).map(({ name }) => name);
  if (!known.includes(newest))
    return (await newerSchema(known)).fits
      ? warning('schema', `${newest}, of a newer version, which this one works with`)
      : broken('schema', unknownMigration(newest, known));
  const wanted = known.at(-1);
  if (wanted !== newest)
    return broken('schema', `${newest}, this version has ${wanted}: run gatehouse migrate`);
  const other = await otherFunctions(path.join(folder, 'functions'));
  if (other.length === 0) return ok('schema', newest);
  return broken('schema', `functions of another version: ${other.join(', ')}: run gatehouse migrate`);
}

function keys(snapshot: Snapshot): Finding {
  const usable = snapshot.keys.filter(isPublished);
  const shut = usable.filter((key) => openFromRow('signing_keys', key.kid, key.sealedPrivate) === null);
  if (shut.length > 0)
    return broken('keys', `${formatCount(shut.length, 'key')} sealed with another GATEHOUSE_SECRET`);
  if (usable.length === 0) return ok('keys', 'none yet: the first is made when it is needed');
  return ok('keys', `${usable.length} published`);
}

/** Of pairwise subject identifiers, where one was needed: a lost one is never replaced. */
function salt({ sealedSubjectSalt: sealed }: Snapshot): Finding[] {
  if (sealed === null || openFromRow('subject_salt', SUBJECT_SALT_ID, sealed) !== null) return [];
  return [broken('pairwise subjects', 'their salt was sealed with another GATEHOUSE_SECRET')];
}

/** Nothing where every secret of an app can be opened, or there is none. */
async function oneTimeCodes(): Promise<Finding[]> {
  const { shut } = await countTotpSeals(await database());
  if (shut === 0) return [];
  const secrets = formatCount(shut, 'secret');
  return [broken('one-time codes', `${secrets} sealed with another GATEHOUSE_SECRET`)];
}

/** Nothing where the pepper of every kept hash can be opened, or there is none. */
async function peppers(): Promise<Finding[]> {
  const { shut } = await countPepperSeals(await database());
  if (shut === 0) return [];
  return [broken('peppers', `${formatCount(shut, 'kept password')} sealed with another GATEHOUSE_SECRET`)];
}

/** GATEHOUSE_SECRET must keep an older secret while a value is sealed with it. */
async function seals(): Promise<Finding> {
  const count = await countOldSeals();
  if (count === 0) return ok('sealed values', 'by the first GATEHOUSE_SECRET');
  return warning('sealed values', `${count} by an older GATEHOUSE_SECRET: run keys reseal`);
}

export function registryFinding({ apis, clients }: Snapshot): Finding {
  const own = [...apis.keys()].filter((id) => id !== MANAGEMENT_API).length;
  if (own === 0) return warning('registry', 'no API yet: apply a configuration');
  return ok('registry', `${formatCount(own, 'API')}, ${formatCount(clients.size, 'client')}`);
}
