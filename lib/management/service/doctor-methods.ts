// The doctor's questions to verifiers, brokers and directories: those of a connection test that send no secret, but for
// the bind of a directory's account that searches.
import { callbackOf, ownCallback, ownCallbackUris, SHARED_CALLBACK } from '#lib/auth-methods/callback.ts';
import { inEnglish } from '#lib/language/words.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { Snapshot, SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { methodSteps } from '../connections/methods.ts';
import type { TestStep } from '../connections/step.ts';
import { type Finding, finding, guideAt } from './doctor-finding.ts';

const [ok, warning] = [finding('ok'), finding('warning')];

/** Each method with a service elsewhere: is that there, is it the right one, and what must be registered there? */
export async function examineMethods(snapshot: Snapshot): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const method of snapshot.methods.values()) {
    const steps = await methodSteps(method, 'by the doctor');
    found.push(...findingsOf(`${method.type} ${method.id}`, steps));
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
    return ok(check, `not tried: ${own} must be registered there${only}`);
  }
  if (shared !== '') {
    const both = `${SHARED_CALLBACK} is used by ${shared} too: an answer without iss is refused; see ${guideAt('brokers')}`;
    return warning(check, both);
  }
  const better =
    ownCallback(method.id) === SHARED_CALLBACK ? '' : `; better: ${own}, see ${guideAt('brokers')}`;
  return ok(check, `not tried: ${SHARED_CALLBACK} must be registered there${better}`);
}

/** Each call in a line, and what else a call tells where it is not as it should be. */
export function findingsOf(check: string, steps: TestStep[]): Finding[] {
  const told = steps.filter(({ state, sent }) => sent !== null || state !== 'ok');
  return told.map(({ state, sent, answered, found, change }) => {
    const asked = [sent, answered === null ? '' : ` answers ${answered.split(':')[0]}`].join('');
    const meaning = [found, ...(change ? [change] : [])].map(inEnglish).join(' ');
    return finding(state === 'skipped' ? 'warning' : state)(
      check,
      asked === '' ? meaning : `${asked}: ${meaning}`,
    );
  });
}
