// Tests the service behind a sign-in method: what its kind asks of it, with our secret where a sign-in sends it.
import { isDeepStrictEqual } from 'node:util';
import { secretToSend } from '#lib/auth-methods/broker-signed-secret.ts';
import { callbackUriOf } from '#lib/auth-methods/callback.ts';
import { basicCredentials } from '#lib/registry/methods/broker/token-auth.ts';
import type { MethodConfig, TriedPerson } from '#lib/registry/methods/kind.ts';
import { keepsSecret, methodKind, wholeConfig } from '#lib/registry/methods/questions.ts';
import type { AuthMethodInput } from '#lib/registry/objects/auth-method.ts';
import { openFromRow } from '#lib/store/database/sealed.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { operation } from '../core/operation.ts';
import { Refused } from '../core/refused.ts';
import { methodAsSaved } from '../registry/methods.ts';
import { limitedTest } from './limited-test.ts';
import type { ConnectionTest, TestStep } from './step.ts';
import { stepOfTaken } from './taken.ts';
import { walkProbes } from './walk.ts';

export const testAuthMethod = operation(
  'testAuthMethod',
  async ({ actor }, { id, person = null }: { id: string; person?: Tried }): Promise<ConnectionTest> => {
    const method = (await currentSnapshot()).methods.get(id);
    if (!method) throw new Refused('method.unknown', { method: id });
    const about = { what: 'auth-method', authMethodId: id } as const;
    return limitedTest(actor, about, () => methodSteps(method, 'as a sign-in does', person));
  },
);

/** Of a directory: whose sign-in is tried. */
type Tried = TriedPerson | null;

const plain = { sent: null, answered: null, tookMs: null };

/** The secret, and as it is sent. */
function formsOf(secret: string | null, { client_id }: MethodConfig): string[] {
  if (secret === null) return [];
  const basic = basicCredentials(String(client_id ?? ''), secret).replace('Basic ', '');
  const [, encoded = ''] = atob(basic).split(':');
  return [basic, encoded, secret];
}

/** `by the doctor`: only what anyone may ask, but of a directory as the account that searches. */
export async function methodSteps(
  method: SnapshotMethod,
  how: 'as a sign-in does' | 'by the doctor',
  person: Tried = null,
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
  if (how === 'by the doctor' && !methodKind(method.type).trial) return stepsOf(method, null);
  const steps = await stepsOf(method, { secret }, person);
  return how === 'by the doctor' ? steps : orNothing(steps);
}

/** As it would be saved. The stored secret is sent only to addresses that are stored with it. */
export const testAuthMethodInput = operation(
  'testAuthMethodInput',
  async (
    { actor, db },
    { person = null, ...input }: AuthMethodInput & { person?: Tried },
  ): Promise<ConnectionTest> => {
    const method = await methodAsSaved(db, input);
    const stored = (await currentSnapshot()).methods.get(method.id);
    const about = { what: 'auth-method', ...(stored && { authMethodId: method.id }) } as const;
    return limitedTest(actor, about, async () => {
      if (input.secret !== undefined || !stored || stored.sealedSecret === null)
        return orNothing(await stepsOf(method, { secret: input.secret ?? null }, person));
      if (!keepsSecret(stored, method)) return orNothing(await stepsOf(method, { secret: null }, person));
      if (sameAddresses(stored, method))
        return methodSteps({ ...stored, config: method.config }, 'as a sign-in does', person);
      return [...(await stepsOf(method, null, person)), SECRET_NOT_SENT];
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
  one.type === other.type && isDeepStrictEqual(secretGoesTo(one), secretGoesTo(other));

function secretGoesTo(tested: Tested): readonly unknown[] {
  const { addresses = [], sendsTo } = methodKind(tested.type);
  const config = wholeConfig(tested);
  return sendsTo?.(config) ?? addresses.map((key) => config[key]);
}

const NO_KEY: TestStep = {
  ...plain,
  check: { text: 'Secret' },
  state: 'broken',
  found: { text: 'The secret of this method is no key that can sign.' },
  change: { text: 'Save the private key again.' },
};

type Tested = Pick<SnapshotMethod, 'id' | 'type' | 'config'>;

/** Null: nothing is sent that only we know. */
async function stepsOf(
  tested: Tested,
  given: { secret: string | null } | null,
  person: Tried = null,
): Promise<TestStep[]> {
  const { id, type } = tested;
  const config = wholeConfig(tested);
  const { probes = () => [], remarks = () => [], trial } = methodKind(type);
  const said = remarks(config).map(({ key: _, ...remark }) => ({ ...plain, change: null, ...remark }));
  if (trial) {
    const method = { id, config, secret: given?.secret ?? null };
    const taken = await trial(method, { mayBind: given !== null, person });
    return [...taken.map(stepOfTaken), ...said];
  }
  const key = given?.secret ?? null;
  const sent = key === null ? null : await secretToSend(config, key).catch(() => null);
  if (key !== null && sent === null) return [NO_KEY];
  const as = given && { secret: sent };
  const timeoutMs = typeof config['timeout_ms'] === 'number' ? config['timeout_ms'] : undefined;
  const policy = { allowPrivateNetwork: config['allow_private_network'] === true, timeoutMs };
  const known = as && { callback: callbackUriOf({ id, config }), ...as };
  const steps = await walkProbes(probes(config, known), {
    policy,
    secrets: formsOf(as?.secret ?? null, config),
  });
  return [...steps, ...said];
}

function orNothing(steps: TestStep[]): TestStep[] {
  if (steps.length > 0) return steps;
  const found = { text: 'This method asks no other service: there is nothing to test.' };
  return [{ ...plain, check: { text: 'Connection' }, state: 'skipped', found, change: null }];
}
