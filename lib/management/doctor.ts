// The doctor's examination: every part that the service stands on, each with what was found.
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/index.ts';
import { isPublished } from '#lib/keys/index.ts';
import { machineNow } from '#lib/kit/index.ts';
import { type OutboundFailed, outboundFetch } from '#lib/outbound/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  currentSnapshot,
  inspectDatabase,
  openFromRow,
  readMigrations,
  type Snapshot,
  type SnapshotMethod,
  whyUnreachable,
} from '#lib/store/index.ts';
import { MANAGEMENT_API } from './built-in.ts';
import { listOldSeals } from './reseal.ts';

export type Finding = { check: string; state: 'ok' | 'warning' | 'broken'; detail: string };
const MAX_SKEW_SECONDS = 5;

/** `migrations`: the folder of this version's, to compare with; left out, any schema will do. */
export async function examine(migrations?: string): Promise<Finding[]> {
  const findings: Finding[] = [examineSettings()];
  let database: Awaited<ReturnType<typeof inspectDatabase>>;
  try {
    database = await inspectDatabase();
  } catch (error) {
    return [
      ...findings,
      {
        check: 'database',
        state: 'broken',
        detail: `not reachable: ${whyUnreachable(error) ?? (error as Error).message}`,
      },
    ];
  }
  findings.push(
    { check: 'database', state: 'ok', detail: `PostgreSQL ${database.version}` },
    clock(database.now),
  );
  if (database.schema === null) {
    return [...findings, { check: 'schema', state: 'broken', detail: 'not migrated: run gatehouse migrate' }];
  }
  findings.push(await schema(database.schema, migrations));
  const snapshot = await currentSnapshot();
  findings.push(keys(snapshot), await seals(), registryFinding(snapshot));
  return [...findings, ...(await methods(snapshot))];
}

function examineSettings(): Finding {
  const { baseUrl, authUrl } = settings();
  const plain = [baseUrl, authUrl].filter(
    (url) => /^http:/.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url),
  );
  if (plain.length > 0) return { check: 'settings', state: 'warning', detail: `${plain[0]} is not https` };
  return { check: 'settings', state: 'ok', detail: `BASE_URL ${baseUrl}, AUTH_URL ${authUrl}` };
}

function clock(databaseNow: Date): Finding {
  const skew = Math.abs(machineNow().getTime() - databaseNow.getTime()) / 1000;
  const detail = `${skew.toFixed(1)} s from the database`;
  return { check: 'clock', state: skew > MAX_SKEW_SECONDS ? 'broken' : 'ok', detail };
}

async function schema(newest: string, folder: string | undefined): Promise<Finding> {
  const check = 'schema';
  const wanted = folder === undefined ? undefined : (await readMigrations(folder)).at(-1)?.name;
  if (wanted === undefined || wanted === newest) return { check, state: 'ok', detail: newest };
  const detail =
    newest < wanted
      ? `${newest}, this version has ${wanted}: run gatehouse migrate`
      : `${newest}, newer than this version`;
  return { check, state: 'broken', detail };
}

function keys(snapshot: Snapshot): Finding {
  const usable = snapshot.keys.filter(isPublished);
  const shut = usable.filter((key) => openFromRow('signing_keys', key.kid, key.sealedPrivate) === null);
  if (shut.length > 0) {
    return { check: 'keys', state: 'broken', detail: `${shut.length} sealed with another GATEHOUSE_SECRET` };
  }
  const detail =
    usable.length === 0 ? 'none yet: the first is made when it is needed' : `${usable.length} published`;
  return { check: 'keys', state: 'ok', detail };
}

/** While one is left, the secret that sealed it must stay in GATEHOUSE_SECRET. */
async function seals(): Promise<Finding> {
  const { length } = await listOldSeals();
  const check = 'sealed values';
  if (length === 0) return { check, state: 'ok', detail: 'by the first GATEHOUSE_SECRET' };
  return { check, state: 'warning', detail: `${length} by an older GATEHOUSE_SECRET: run keys reseal` };
}

function registryFinding(snapshot: Snapshot): Finding {
  const { apis, clients } = snapshot;
  const own = [...apis.keys()].filter((id) => id !== MANAGEMENT_API).length;
  if (own === 0) return { check: 'registry', state: 'warning', detail: 'no API yet: apply a configuration' };
  return { check: 'registry', state: 'ok', detail: `${own} APIs, ${clients.size} clients` };
}

async function methods(snapshot: Snapshot): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const method of snapshot.methods.values()) {
    if (method.type === 'local') continue;
    const check = `${method.type} ${method.id}`;
    const sealed = method.sealedSecret;
    if (sealed !== null && openFromRow('auth_methods', method.id, sealed) === null) {
      found.push({
        check,
        state: 'broken',
        detail: 'its secret was sealed with another GATEHOUSE_SECRET: apply again',
      });
      continue;
    }
    found.push(await reach(check, method.config));
    if (method.type === 'broker') found.push(callback(method, snapshot));
  }
  return found;
}

/** What must be registered at a broker. Whether it is, only the broker knows. */
function callback(method: SnapshotMethod, { methods }: Snapshot): Finding {
  const check = `callback ${method.id}`;
  const own = ownCallbackUris(method.id).join(' and ');
  const others = [...methods.values()].filter(
    (one) => one.id !== method.id && one.type === 'broker' && callbackOf(one) === SHARED_CALLBACK,
  );
  const shared = others.map((one) => one.id).join(', ');
  if (callbackOf(method) !== SHARED_CALLBACK) {
    const only = shared === '' ? '' : `, and ${SHARED_CALLBACK}, which ${shared} uses, must not be`;
    return { check, state: 'ok', detail: `${own} must be registered there${only}` };
  }
  if (shared !== '') {
    const detail = `${SHARED_CALLBACK} is used by ${shared} too: an answer without iss is refused; see docs/brokers.md`;
    return { check, state: 'warning', detail };
  }
  const better = ownCallback(method.id) === SHARED_CALLBACK ? '' : `; better: ${own}, see docs/brokers.md`;
  return { check, state: 'ok', detail: `${SHARED_CALLBACK} must be registered there${better}` };
}

type MethodConfig = {
  issuer?: string;
  token_endpoint?: string;
  verify_url?: string;
  allow_private_network?: boolean;
};

/** Any answer at all will do: whether it lets somebody in is not asked here, and no secret is sent. */
async function reach(check: string, config: MethodConfig): Promise<Finding> {
  const issuerDocument =
    config.issuer && `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const address = config.verify_url ?? issuerDocument ?? config.token_endpoint ?? '';
  try {
    const call = outboundFetch({ allowPrivateNetwork: config.allow_private_network === true });
    const { status } = await call(address);
    return { check, state: status >= 500 ? 'broken' : 'ok', detail: `${address} answers ${status}` };
  } catch (error) {
    const { reason, cause, message } = error as OutboundFailed;
    // it is there; a sign-in asks another question, to which it may answer better
    const there = reason === 'redirect' || reason === 'too-large';
    const code = (cause as { code?: string } | undefined)?.code;
    const detail = `${address}: ${message}${code ? ` (${code})` : ''}`;
    return { check, state: there ? 'warning' : 'broken', detail };
  }
}
