// Tests the service behind a sign-in method: what its kind asks of it, with our secret where a sign-in sends it.
import { callbackUriOf } from '#lib/auth-methods/index.ts';
import { basicCredentials, type MethodConfig, methodKind } from '#lib/registry/index.ts';
import { currentSnapshot, openFromRow, type SnapshotMethod } from '#lib/store/index.ts';
import { operation, Refused } from '../core/index.ts';
import { limitedTest } from './limited-test.ts';
import type { ConnectionTest, TestStep } from './step.ts';
import { walkProbes } from './walk.ts';

export const testAuthMethod = operation(
  'testAuthMethod',
  async ({ actor }, { id }: { id: string }): Promise<ConnectionTest> => {
    const method = (await currentSnapshot()).methods.get(id);
    if (!method) throw new Refused('method.unknown', { method: id });
    const about = { what: 'auth-method', authMethodId: id } as const;
    return limitedTest(actor, about, () => methodSteps(method, 'as a sign-in does'));
  },
);

const plain = { sent: null, answered: null, tookMs: null };

/** The secret, and as it is sent. */
function formsOf(secret: string | null, { client_id }: MethodConfig): string[] {
  if (secret === null) return [];
  const basic = basicCredentials(String(client_id ?? ''), secret).replace('Basic ', '');
  const [, encoded = ''] = atob(basic).split(':');
  return [basic, encoded, secret];
}

/** `without secret`: only what anyone may ask, as the doctor does. */
export async function methodSteps(
  { id, type, config, sealedSecret }: SnapshotMethod,
  how: 'as a sign-in does' | 'without secret',
): Promise<TestStep[]> {
  const { probes = () => [] } = methodKind(type);
  const secret = sealedSecret === null ? null : openFromRow('auth_methods', id, sealedSecret);
  if (sealedSecret !== null && secret === null)
    return [
      {
        ...plain,
        check: { text: 'Secret' },
        state: 'broken',
        found: { text: 'The secret of this method was sealed with another GATEHOUSE_SECRET.' },
        change: { text: 'Save the secret again, or apply the configuration again.' },
      },
    ];
  const as = how === 'without secret' ? null : { callback: callbackUriOf({ id, config }), secret };
  const timeoutMs = typeof config['timeout_ms'] === 'number' ? config['timeout_ms'] : undefined;
  const policy = { allowPrivateNetwork: config['allow_private_network'] === true, timeoutMs };
  const steps = await walkProbes(probes(config, as), { policy, secrets: formsOf(secret, config) });
  if (steps.length > 0 || how === 'without secret') return steps;
  const found = { text: 'This method asks no other service: there is nothing to test.' };
  return [{ ...plain, check: { text: 'Connection' }, state: 'skipped', found, change: null }];
}
