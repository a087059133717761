// The doctor's questions to verifiers and brokers. They send no secret, and do not ask whether a sign-in would succeed.
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/index.ts';
import { type OutboundFailed, outboundFetch } from '#lib/outbound/index.ts';
import { type MethodConfig, methodCan, methodKind, type Probe } from '#lib/registry/index.ts';
import { openFromRow, type Snapshot, type SnapshotMethod } from '#lib/store/index.ts';
import { type Finding, finding } from './doctor-finding.ts';

const [ok, warning, broken] = [finding('ok'), finding('warning'), finding('broken')];

/** Each method with a service elsewhere: is that there, is it the right one, and what must be registered there? */
export async function examineMethods(snapshot: Snapshot): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const method of snapshot.methods.values()) {
    const { probes = () => [] } = methodKind(method.type);
    const check = `${method.type} ${method.id}`;
    const sealed = method.sealedSecret;
    if (sealed !== null && openFromRow('auth_methods', method.id, sealed) === null) {
      found.push(broken(check, 'its secret was sealed with another GATEHOUSE_SECRET: apply again'));
      continue;
    }
    for (const probe of probes(method.config)) found.push(await reach(check, probe, method.config));
    if (methodCan(method, 'redirects')) found.push(callback(method, snapshot));
  }
  return found;
}

/** The callback that must be registered at the broker; only the broker knows whether it is. */
function callback(method: SnapshotMethod, { methods }: Snapshot): Finding {
  const check = `callback ${method.id}`;
  const own = ownCallbackUris(method.id).join(' and ');
  const others = [...methods.values()].filter(
    (one) => one.id !== method.id && methodCan(one, 'redirects') && callbackOf(one) === SHARED_CALLBACK,
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

async function reach(check: string, { address, form, judge }: Probe, config: MethodConfig): Promise<Finding> {
  try {
    const call = outboundFetch({ allowPrivateNetwork: config['allow_private_network'] === true });
    const headers = { accept: 'application/json' };
    const answer = await call(
      address,
      form ? { method: 'POST', body: new URLSearchParams(form), headers } : { headers },
    );
    const { status } = answer;
    const { state, advice } =
      status >= 500 ? { state: 'broken' as const } : judge(status, await answer.text());
    return finding(state)(check, `${address} answers ${status}${advice ? ` ${advice}` : ''}`);
  } catch (error) {
    const { reason, cause, message } = error as OutboundFailed;
    // something is there, and may answer a sign-in as it should
    const there = reason === 'redirect' || reason === 'too-large';
    const code = (cause as { code?: string } | undefined)?.code;
    return (there ? warning : broken)(check, `${address}: ${message}${code ? ` (${code})` : ''}`);
  }
}
