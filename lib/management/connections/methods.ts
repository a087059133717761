// Tests the service behind a sign-in method: what its kind asks of it, with our secret where a sign-in sends it.
import { callbackUriOf, secretToSend } from '#lib/auth-methods/index.ts';
import {
  type AuthMethodInput,
  basicCredentials,
  keepsSecret,
  type MethodConfig,
  methodKind,
  wholeConfig,
} from '#lib/registry/index.ts';
import { currentSnapshot, openFromRow, type SnapshotMethod } from '#lib/store/index.ts';
import { operation, Refused } from '../core/index.ts';
import { methodAsSaved } from '../registry/index.ts';
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
  method: SnapshotMethod,
  how: 'as a sign-in does' | 'without secret',
): Promise<TestStep[]> {
  const { id, sealedSecret } = method;
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
  if (how === 'without secret') return stepsOf(method, null);
  return orNothing(await stepsOf(method, { secret }));
}

/** As it would be saved. The stored secret is sent only to addresses that are stored with it. */
export const testAuthMethodInput = operation(
  'testAuthMethodInput',
  async ({ actor, db }, input: AuthMethodInput): Promise<ConnectionTest> => {
    const method = await methodAsSaved(db, input);
    const stored = (await currentSnapshot()).methods.get(method.id);
    const about = { what: 'auth-method', ...(stored && { authMethodId: method.id }) } as const;
    return limitedTest(actor, about, async () => {
      if (input.secret !== undefined || !stored || stored.sealedSecret === null)
        return orNothing(await stepsOf(method, { secret: input.secret ?? null }));
      if (!keepsSecret(stored, method)) return orNothing(await stepsOf(method, { secret: null }));
      if (sameAddresses(stored, method))
        return methodSteps({ ...stored, config: method.config }, 'as a sign-in does');
      return [...(await stepsOf(method, null)), SECRET_NOT_SENT];
    });
  },
);

const SECRET_NOT_SENT: TestStep = {
  ...plain,
  check: { text: 'Secret' },
  state: 'skipped',
  found: { text: 'The stored secret is not sent to an address that is not saved.' },
  change: { text: 'Type the secret as well, to test it there.' },
};

const sameAddresses = (one: Tested, other: Tested): boolean =>
  one.type === other.type &&
  (methodKind(one.type).addresses ?? []).every((key) => wholeConfig(one)[key] === wholeConfig(other)[key]);

const NO_KEY: TestStep = {
  ...plain,
  check: { text: 'Secret' },
  state: 'broken',
  found: { text: 'The secret of this method is no key that can sign.' },
  change: { text: 'Save the private key again.' },
};

type Tested = Pick<SnapshotMethod, 'id' | 'type' | 'config'>;

/** Null: nothing is sent that only we know. */
async function stepsOf(tested: Tested, given: { secret: string | null } | null): Promise<TestStep[]> {
  const { id, type } = tested;
  const config = wholeConfig(tested);
  const key = given?.secret ?? null;
  const sent = key === null ? null : await secretToSend(config, key).catch(() => null);
  if (key !== null && sent === null) return [NO_KEY];
  const as = given && { secret: sent };
  const { probes = () => [], remarks = () => [] } = methodKind(type);
  const timeoutMs = typeof config['timeout_ms'] === 'number' ? config['timeout_ms'] : undefined;
  const policy = { allowPrivateNetwork: config['allow_private_network'] === true, timeoutMs };
  const known = as && { callback: callbackUriOf({ id, config }), ...as };
  const steps = await walkProbes(probes(config, known), {
    policy,
    secrets: formsOf(as?.secret ?? null, config),
  });
  return [...steps, ...remarks(config).map((remark) => ({ ...plain, change: null, ...remark }))];
}

function orNothing(steps: TestStep[]): TestStep[] {
  if (steps.length > 0) return steps;
  const found = { text: 'This method asks no other service: there is nothing to test.' };
  return [{ ...plain, check: { text: 'Connection' }, state: 'skipped', found, change: null }];
}
