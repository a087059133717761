// The second step: a code of an app, a recovery code or a passkey is proved, and raises the session
// (docs/decisions/0023).
import type { FactorContext } from '#lib/factors/limits.ts';
import { type PasskeyRefused, provePasskey } from '#lib/factors/passkeys-proof.ts';
import type { FactorProof } from '#lib/factors/proof.ts';
import { proveRecoveryCode } from '#lib/factors/recovery-codes.ts';
import { codeFault, proveTotp } from '#lib/factors/totp.ts';
import { tellOfFactor } from '#lib/mail/tell-factor.ts';

/** Who takes it, and how mails reach them. */
export type StepTaker = {
  personId: string;
  reader: Parameters<typeof tellOfFactor>[0];
  context: FactorContext;
};

export type StepAnswer =
  | { kind: 'totp' | 'recovery_code'; code: string }
  /** `browser`: what the challenge was bound to; `response`: the browser's answer (JSON) */
  | { kind: 'passkey'; browser: string; state: string; response: string };

export type StepTaken<Raised> =
  | { kind: 'raised'; raised: Raised; proof: FactorProof }
  /** `raise` gave null */
  | { kind: 'ended' }
  | Unproved;

type Unproved =
  | { kind: 'wrong' | 'used-up' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** it cannot be a code, and used up no try */
  | { kind: 'faulty'; code: NonNullable<ReturnType<typeof codeFault>> }
  /** a passkey */
  | Extract<PasskeyRefused, { kind: 'refused' }>;

/** `raise`: null where the session has ended meanwhile. */
export async function takeSecondStep<Raised>(
  taker: StepTaker,
  answer: StepAnswer,
  raise: (proof: FactorProof) => Promise<Raised | null>,
): Promise<StepTaken<Raised>> {
  const proof = await prove(taker, answer);
  if (!('level' in proof)) return proof;
  const raised = await raise(proof);
  if (raised === null) return { kind: 'ended' };
  if (proof.kind === 'recovery_code') tellOfFactor(taker.reader, 'code-used');
  return { kind: 'raised', raised, proof };
}

async function prove(
  { personId, reader, context }: StepTaker,
  answer: StepAnswer,
): Promise<FactorProof | Unproved> {
  if (answer.kind === 'passkey') {
    const { browser, state, response } = answer;
    const proved = await provePasskey({ browser, state, response, personId, context });
    return proved.kind === 'proved' ? proved.proof : proved;
  }
  const { kind, code } = answer;
  // no try is used up by what cannot be a code
  if (kind === 'recovery_code' && code.trim() === '') return { kind: 'wrong' };
  const fault = kind === 'totp' ? codeFault(code) : null;
  if (fault !== null) return { kind: 'faulty', code: fault };
  const tell = (news: 'codes-guessed' | 'codes-ended') => tellOfFactor(reader, news);
  const asked = { personId, code, context };
  const proved = await (kind === 'totp' ? proveTotp({ ...asked, tell }) : proveRecoveryCode(asked));
  return typeof proved === 'string' ? { kind: proved } : proved;
}
