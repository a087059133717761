// The doctor's examination: what the service depends on, part by part, and what was found.
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/index.ts';
import { isPublished } from '#lib/keys/index.ts';
import { machineNow } from '#lib/kit/index.ts';
import { type OutboundFailed, outboundFetch } from '#lib/outbound/index.ts';
import { openedByOthers } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  countTotpSeals,
  currentSnapshot,
  type DatabaseFacts,
  inspectDatabase,
  openFromRow,
  ownConnection,
  readMigrations,
  type Snapshot,
  type SnapshotMethod,
  SUBJECT_SALT_ID,
  whyUnreachable,
} from '#lib/store/index.ts';
import { MANAGEMENT_API } from './built-in.ts';
import { examineEmails } from './doctor-emails.ts';
import { examineIssuerHosts } from './doctor-hosts.ts';
import { examinePasskeys } from './doctor-passkeys.ts';
import { countOldSeals } from './reseal.ts';

export type Finding = { check: string; state: 'ok' | 'warning' | 'broken'; detail: string };
const MAX_SKEW_SECONDS = 5;

const finding =
  (state: Finding['state']) =>
  (check: string, detail: string): Finding => ({ check, state, detail });
const [ok, warning, broken] = [finding('ok'), finding('warning'), finding('broken')];

/** `migrations`: the folder of this version's migrations, to compare with; left out, any schema will do. */
export async function examine(migrations?: string): Promise<Finding[]> {
  const findings = [examineSettings()];
  let database: DatabaseFacts;
  try {
    database = await inspectDatabase();
  } catch (error) {
    const why = whyUnreachable(error) ?? (error as Error).message;
    return [...findings, broken('database', `not reachable: ${why}`)];
  }
  findings.push(ok('database', `PostgreSQL ${database.version}`), ...commits(database), clock(database.now));
  if (database.schema === null) return [...findings, broken('schema', 'not migrated: run gatehouse migrate')];
  findings.push(await schema(database.schema, migrations));
  const snapshot = await currentSnapshot();
  findings.push(
    keys(snapshot),
    ...salt(snapshot),
    ...(await oneTimeCodes()),
    ...(await examinePasskeys()),
    ...(await examineEmails()),
    await seals(),
    registryFinding(snapshot),
  );
  return [...findings, ...(await methods(snapshot)), ...(await examineIssuerHosts(snapshot))];
}

function examineSettings(): Finding {
  const { baseUrl, authUrl } = settings();
  const plain = [baseUrl, authUrl].find(
    (url) => /^http:/.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url),
  );
  if (plain !== undefined) return warning('settings', `${plain} is not https`);
  return ok('settings', `BASE_URL ${baseUrl}, AUTH_URL ${authUrl}`);
}

/** Nothing where a commit is reported when it will last. */
function commits({ commit, replicas }: DatabaseFacts): Finding[] {
  const lost =
    'tokens that were given may be forgotten, and used ones work again; see docs/high-availability.md';
  if (commit === 'off')
    return [warning('commits', `synchronous_commit is off: after a crash of PostgreSQL ${lost}`)];
  if (commit === 'local' && replicas !== '')
    return [warning('commits', `synchronous_commit is local: once a replica leads ${lost}`)];
  return [];
}

function clock(databaseNow: Date): Finding {
  const skew = Math.abs(machineNow().getTime() - databaseNow.getTime()) / 1000;
  return (skew > MAX_SKEW_SECONDS ? broken : ok)('clock', `${skew.toFixed(1)} s from the database`);
}

async function schema(newest: string, folder: string | undefined): Promise<Finding> {
  const wanted = folder === undefined ? undefined : (await readMigrations(folder)).at(-1)?.name;
  if (wanted === undefined || wanted === newest) return ok('schema', newest);
  const behind = `${newest}, this version has ${wanted}: run gatehouse migrate`;
  return broken('schema', newest < wanted ? behind : `${newest}, newer than this version`);
}

function keys(snapshot: Snapshot): Finding {
  const usable = snapshot.keys.filter(isPublished);
  const shut = usable.filter((key) => openFromRow('signing_keys', key.kid, key.sealedPrivate) === null);
  if (shut.length > 0) return broken('keys', `${shut.length} sealed with another GATEHOUSE_SECRET`);
  if (usable.length === 0) return ok('keys', 'none yet: the first is made when it is needed');
  return ok('keys', `${usable.length} published`);
}

/** Of pairwise subject identifiers, where one was needed: it is never made anew. */
function salt({ sealedSubjectSalt: sealed }: Snapshot): Finding[] {
  if (sealed === null || openFromRow('subject_salt', SUBJECT_SALT_ID, sealed) !== null) return [];
  return [broken('pairwise subjects', 'their salt was sealed with another GATEHOUSE_SECRET')];
}

/** Nothing where every secret of an app can be opened, or nobody has one. */
async function oneTimeCodes(): Promise<Finding[]> {
  const { shut } = await countTotpSeals(ownConnection);
  if (shut === 0) return [];
  return [broken('one-time codes', `${shut} people's secrets were sealed with another GATEHOUSE_SECRET`)];
}

/** GATEHOUSE_SECRET must keep an older secret while a value is sealed with it. */
async function seals(): Promise<Finding> {
  const count = await countOldSeals();
  if (count === 0) return ok('sealed values', 'by the first GATEHOUSE_SECRET');
  return warning('sealed values', `${count} by an older GATEHOUSE_SECRET: run keys reseal`);
}

function registryFinding({ apis, clients }: Snapshot): Finding {
  const own = [...apis.keys()].filter((id) => id !== MANAGEMENT_API).length;
  if (own === 0) return warning('registry', 'no API yet: apply a configuration');
  return ok('registry', `${own} APIs, ${clients.size} clients`);
}

async function methods(snapshot: Snapshot): Promise<Finding[]> {
  const found: Finding[] = [];
  const opened = openedByOthers([...snapshot.methods.values()]);
  for (const method of snapshot.methods.values()) {
    if (method.type === 'local') {
      const [wider] = opened.filter(({ id }) => id === method.id);
      if (wider) found.push(warning(`local ${method.id}`, wider.message));
      continue;
    }
    const check = `${method.type} ${method.id}`;
    const sealed = method.sealedSecret;
    if (sealed !== null && openFromRow('auth_methods', method.id, sealed) === null) {
      found.push(broken(check, 'its secret was sealed with another GATEHOUSE_SECRET: apply again'));
      continue;
    }
    found.push(await reach(check, method.config));
    if (method.type === 'broker') found.push(callback(method, snapshot));
  }
  return found;
}

/** The callback that must be registered at the broker; only the broker knows whether it is. */
function callback(method: SnapshotMethod, { methods }: Snapshot): Finding {
  const check = `callback ${method.id}`;
  const own = ownCallbackUris(method.id).join(' and ');
  const others = [...methods.values()].filter(
    (one) => one.id !== method.id && one.type === 'broker' && callbackOf(one) === SHARED_CALLBACK,
  );
  const shared = others.map((one) => one.id).join(', ');
  if (callbackOf(method) !== SHARED_CALLBACK) {
    const only = shared === '' ? '' : `, and ${SHARED_CALLBACK}, which ${shared} uses, must not be`;
    return ok(check, `${own} must be registered there${only}`);
  }
  if (shared !== '') {
    const both = `${SHARED_CALLBACK} is used by ${shared} too: an answer without iss is refused; see docs/brokers.md`;
    return warning(check, both);
  }
  const better = ownCallback(method.id) === SHARED_CALLBACK ? '' : `; better: ${own}, see docs/brokers.md`;
  return ok(check, `${SHARED_CALLBACK} must be registered there${better}`);
}

type MethodConfig = {
  issuer?: string;
  token_endpoint?: string;
  verify_url?: string;
  allow_private_network?: boolean;
};

/** Is anything there? Sends no secret, and does not ask whether a sign-in would succeed. */
async function reach(check: string, config: MethodConfig): Promise<Finding> {
  const issuerDocument =
    config.issuer && `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const address = config.verify_url ?? issuerDocument ?? config.token_endpoint ?? '';
  try {
    const call = outboundFetch({ allowPrivateNetwork: config.allow_private_network === true });
    const { status } = await call(address);
    return (status >= 500 ? broken : ok)(check, `${address} answers ${status}`);
  } catch (error) {
    const { reason, cause, message } = error as OutboundFailed;
    // something is there, and may answer a sign-in as it should
    const there = reason === 'redirect' || reason === 'too-large';
    const code = (cause as { code?: string } | undefined)?.code;
    return (there ? warning : broken)(check, `${address}: ${message}${code ? ` (${code})` : ''}`);
  }
}
