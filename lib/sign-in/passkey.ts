// A passkey names its person and proves them, without a password. Only for people of local methods: those of brokers
// and verifiers are asked there each time.
import { provePasskey } from '#lib/factors/passkeys-proof.ts';
import type { Message } from '#lib/language/message.ts';
import type { SessionStart } from '#lib/sessions/session-rows.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { noteSignIn, type SignInPlace } from './note.ts';

type PasskeyProved = Extract<Awaited<ReturnType<typeof provePasskey>>, { kind: 'proved' }>;
/** What starts a session of it. */
type Started = Pick<
  SessionStart,
  'authMethodId' | 'personId' | 'personEpoch' | 'methodEpoch' | 'acrLevel'
> & {
  amr: string[];
};

/** `personId`: who it must be; null: the passkey says. `start`: null as for `startSession`. */
export async function signInByPasskey<Session>(
  asked: {
    method: SnapshotMethod;
    browser: string;
    state: string;
    response: string;
    personId: string | null;
    where: Omit<SignInPlace, 'authMethodId'>;
  },
  start: (proved: Started) => Promise<Session | null>,
): Promise<
  | { kind: 'signed-in'; session: Session; proved: PasskeyProved }
  | { kind: 'refused' | 'slow-down'; told: Message }
  /** no session starts for this person */
  | { kind: 'not-started'; personId: string }
> {
  const { method, where, ...answer } = asked;
  const note = (outcome: 'signed-in' | 'refused' | 'slow-down') =>
    noteSignIn({ ...where, authMethodId: method.id }, outcome, 'passkey');
  const { requestId, ip } = where;
  const proved = await provePasskey({ ...answer, context: { requestId, ip } });
  if (proved.kind === 'slow-down') {
    await note('slow-down');
    const values = { seconds: proved.waitSeconds };
    return { kind: 'slow-down', told: { code: 'second_step.wait', values } };
  }
  if (proved.kind === 'refused') {
    await note('refused');
    return { kind: 'refused', told: { code: proved.code } };
  }
  const { personId, personEpoch, proof } = proved;
  const { level: acrLevel, amr } = proof;
  const session = await start({
    ...{ authMethodId: method.id, methodEpoch: method.epoch },
    ...{ personId, personEpoch, acrLevel, amr },
  });
  await note(session === null ? 'refused' : 'signed-in');
  return session === null ? { kind: 'not-started', personId } : { kind: 'signed-in', session, proved };
}
