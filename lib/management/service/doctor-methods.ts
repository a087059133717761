// The doctor's questions to verifiers and brokers. They send no secret, and do not ask whether a sign-in would succeed.
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/index.ts';
import { type OutboundFailed, outboundFetch } from '#lib/outbound/index.ts';
import { openFromRow, type Snapshot, type SnapshotMethod } from '#lib/store/index.ts';
import { type Finding, finding } from './doctor-finding.ts';

const [ok, warning, broken] = [finding('ok'), finding('warning'), finding('broken')];

/** Each external and broker method: is its service there, is it the right one, and what must be registered there? */
export async function examineMethods(snapshot: Snapshot): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const method of snapshot.methods.values()) {
    if (method.type === 'local') continue;
    const check = `${method.type} ${method.id}`;
    const sealed = method.sealedSecret;
    if (sealed !== null && openFromRow('auth_methods', method.id, sealed) === null) {
      found.push(broken(check, 'its secret was sealed with another GATEHOUSE_SECRET: apply again'));
      continue;
    }
    for (const probe of probesOf(method.config)) found.push(await reach(check, probe, method.config));
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

type Config = Readonly<Record<string, unknown>>;
type Verdict = { state: (check: string, detail: string) => Finding; advice?: string };
type Probe = {
  address: string;
  /** the form that is posted; without one, a GET */
  form?: Record<string, string>;
  judge: (status: number, body: string) => Verdict;
};

const GOOD: Verdict = { state: ok };

function probesOf(config: Config): Probe[] {
  const text = (key: string) => String(config[key] ?? '');
  if ('verify_url' in config) return [{ address: text('verify_url'), judge: judgeVerifier }];
  if ('issuer' in config) return [metadataOf(text('issuer'))];
  const form = { grant_type: 'authorization_code', client_id: text('client_id') };
  return [
    { address: text('token_endpoint'), form, judge: judgeToken },
    { address: text('userinfo_endpoint'), judge: judgeUserinfo },
  ];
}

const MISSING = [404, 410];

/** It accepts only POST, so a GET is refused; some servers answer 404 to it. */
function judgeVerifier(status: number): Verdict {
  if (MISSING.includes(status))
    return { state: warning, advice: 'right only if it answers so to a GET: check verify_url' };
  return GOOD;
}

/** RFC 6749 §5.2: without a code the answer is an error in JSON, or in a form with some providers, of any status. */
function judgeToken(status: number, body: string): Verdict {
  const isOAuth = 'error' in jsonOf(body) || new URLSearchParams(body).has('error');
  if (isOAuth || status === 401 || (status >= 200 && status < 300)) return GOOD;
  return { state: broken, advice: 'and no OAuth error: check token_endpoint' };
}

/** RFC 6750 §3: without a token it asks for one. */
function judgeUserinfo(status: number): Verdict {
  if ([400, 401, 403].includes(status) || (status >= 200 && status < 300)) return GOOD;
  return { state: broken, advice: 'without a token, where 401 is right: check userinfo_endpoint' };
}

/** OpenID Connect Discovery §4.3: the metadata name the very issuer that they were asked of. */
function metadataOf(issuer: string): Probe {
  const written = /\/\.well-known\//.test(issuer);
  const address = written ? issuer : `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return {
    address,
    judge: (status, body) => {
      if (status !== 200) return { state: broken, advice: `and no metadata: check issuer, ${issuer}` };
      const { issuer: named } = jsonOf(body);
      if (typeof named !== 'string') return { state: broken, advice: `without an issuer: check ${issuer}` };
      if (written) return { state: broken, advice: `set issuer to ${shown(named)}, without /.well-known/…` };
      if (named === issuer) return GOOD;
      const differ = `its metadata name the issuer ${shown(named)}, and the method ${issuer}`;
      // a sign-in compares addresses; a token exchange compares texts
      if (URL.canParse(named) && new URL(named).href === new URL(issuer).href)
        return { state: warning, advice: `${differ}: write it so, or its tokens cannot be exchanged` };
      return { state: broken, advice: `${differ}: set issuer to the first if it is this provider’s` };
    },
  };
}

const shown = (text: string) => text.slice(0, 200);

function jsonOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function reach(check: string, { address, form, judge }: Probe, config: Config): Promise<Finding> {
  try {
    const call = outboundFetch({ allowPrivateNetwork: config['allow_private_network'] === true });
    const headers = { accept: 'application/json' };
    const answer = await call(
      address,
      form ? { method: 'POST', body: new URLSearchParams(form), headers } : { headers },
    );
    const { status } = answer;
    const { state, advice } = status >= 500 ? { state: broken } : judge(status, await answer.text());
    return state(check, `${address} answers ${status}${advice ? ` ${advice}` : ''}`);
  } catch (error) {
    const { reason, cause, message } = error as OutboundFailed;
    // something is there, and may answer a sign-in as it should
    const there = reason === 'redirect' || reason === 'too-large';
    const code = (cause as { code?: string } | undefined)?.code;
    return (there ? warning : broken)(check, `${address}: ${message}${code ? ` (${code})` : ''}`);
  }
}
