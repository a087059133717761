// A new factor is a proof at the same time, so it raises the session; the first one brings recovery codes. Where
// the session has ended meanwhile (a reset, a sign-out everywhere) what was just added is removed again.
import { registerPasskey } from '#lib/factors/passkeys-registration.ts';
import { type FactorProof, TOTP_PROOF } from '#lib/factors/proof.ts';
import { makeRecoveryCodes } from '#lib/factors/recovery-codes.ts';
import { enrollTotp, openPendingTotp } from '#lib/factors/totp.ts';
import { tellOfFactor } from '#lib/mail/tell-factor.ts';
import { database } from '#lib/store/database/prisma.ts';
import { removePasskey, removeTotp } from '#lib/store/people/factors.ts';
import { countRecoveryCodes } from '#lib/store/people/recovery-codes.ts';
import type { StepTaker } from './second-step.ts';

/** `sealed`: the secret that the page showed; `name`: what the person calls the app */
export type TotpSetUp = { sealed: string; code: string; name?: string };
/** `response`: the browser's answer (JSON) */
export type PasskeySetUp = { state: string; response: string; name: string };

export type FactorAdded<Raised> =
  /** `codes`: recovery codes, to be shown once; null: there were some already */
  | { kind: 'added'; raised: Raised; codes: string[] | null }
  /** `raise` gave null */
  | { kind: 'ended' }
  /** of an app: `expired` is the page's secret */
  | { kind: 'wrong' | 'exists' | 'full' | 'expired' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** a passkey */
  | Extract<Awaited<ReturnType<typeof registerPasskey>>, { kind: 'refused' }>;

/**
 * `another`: the session proved a factor, so an app may be another one. `browser`: what a passkey's challenge was bound
 * to. `raise`: null where the session has ended meanwhile.
 */
export async function addFactor<Raised>(
  taker: StepTaker,
  given: (TotpSetUp & { another: boolean }) | (PasskeySetUp & { browser: string }),
  raise: (proof: FactorProof) => Promise<Raised | null>,
): Promise<FactorAdded<Raised>> {
  const { personId, reader, context } = taker;
  const made = await ('sealed' in given ? enrol(taker, given) : register(taker, given));
  if ('kind' in made) return made;
  const raised = await raise(made.proof).catch(async (error: unknown) => {
    await made.takeBack();
    throw error;
  });
  if (raised === null) {
    await made.takeBack();
    return { kind: 'ended' };
  }
  tellOfFactor(reader, made.name === null ? 'app-added' : 'passkey-added', made.name ?? '');
  const codes =
    (await countRecoveryCodes(personId)) > 0 ? null : await makeRecoveryCodes(personId, undefined, context);
  return { kind: 'added', raised, codes };
}

/** `name`: of a passkey. */
type Made = { proof: FactorProof; takeBack: () => Promise<unknown>; name: string | null };
type NotMade = Exclude<FactorAdded<never>, { kind: 'added' | 'ended' }>;

async function enrol(
  { personId, context }: StepTaker,
  { sealed, ...given }: TotpSetUp & { another: boolean },
): Promise<Made | NotMade> {
  const found = openPendingTotp(personId, sealed);
  if (found === null) return { kind: 'expired' };
  const outcome = await enrollTotp({ personId, ...found, ...given, ...context });
  if (typeof outcome !== 'string') return outcome;
  if (outcome !== 'enrolled') return { kind: outcome };
  return {
    proof: TOTP_PROOF,
    takeBack: async () => removeTotp(await database(), personId, found.id),
    name: null,
  };
}

async function register(
  { personId, context }: StepTaker,
  given: PasskeySetUp & { browser: string },
): Promise<Made | NotMade> {
  const made = await registerPasskey({ ...given, personId, context });
  if (made.kind === 'refused') return made;
  const { credentialId, name } = made.passkey;
  const takeBack = async () => removePasskey(await database(), personId, credentialId.toString('base64url'));
  return { proof: made.proof, takeBack, name };
}
