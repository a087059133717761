// A passkey proves identity (WebAuthn Level 3 §7.2): of any person who has one, or of a person who is known already. It
// is something they have and, with user verification, something they are or know: two factors (RFC 8176 §2).
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { log } from '#lib/kit/log.ts';
import { countSecurityEvent } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { recordRefusal } from '#lib/store/log/refusals.ts';
import { acceptPasskey, findPasskey, selectPasskeyNames } from '#lib/store/sign-in/passkey-proofs.ts';
import { clearWrongCodes } from '#lib/store/sign-in/totp.ts';
import { callerLimits } from '#lib/store/tokens/limits.ts';
import type { FactorContext } from './limits.ts';
import { cameFromFrame, type PasskeyAssertion, readAssertion, whyNot } from './passkeys-answer.ts';
import { CHALLENGE_SECONDS, newChallenge, openChallenge } from './passkeys-challenge.ts';
import { handleOf, passkeyOrigins } from './passkeys-place.ts';
import type { FactorProof } from './proof.ts';

/** From one address, and from everybody: a wrong one costs a look at the table and a signature. */
const ANSWERS = { what: 'passkeys', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/** A copy of it may lie with the maker of the authenticator, or it cannot leave the device. */
export const passkeyProof = (backupEligible: boolean): FactorProof => ({
  kind: 'passkey',
  level: 3,
  amr: [backupEligible ? 'swk' : 'hwk', 'user', 'mfa'],
});

/**
 * What the browser is asked (JSON), and the seal that comes back with its answer. Without a person the browser offers
 * every passkey that it knows for us, and the page says nothing of anybody.
 */
export async function passkeyChallenge({
  browser,
  personId,
}: {
  browser: string;
  personId: string | null;
}): Promise<{ options: string; state: string }> {
  const rpId = settings().passkeyRpId;
  const { challenge, state } = newChallenge({ purpose: 'use', browser, personId });
  const known = personId === null ? [] : await selectPasskeyNames(personId, rpId);
  const options = {
    challenge,
    rpId,
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    ...(personId !== null && {
      allowCredentials: known.map(({ credentialId, transports }) => ({
        type: 'public-key',
        id: credentialId.toString('base64url'),
        transports,
      })),
    }),
  };
  return { options: JSON.stringify(options), state };
}

/**
 * Which passkeys of a person there are (JSON, for `data-passkey-signal` of a page that lists them): a browser with the
 * Signal API then offers no other one of theirs (WebAuthn Level 3 §5.1.10).
 */
export async function passkeySignal(personId: string): Promise<string> {
  const rpID = settings().passkeyRpId;
  const kept = await selectPasskeyNames(personId, rpID);
  const allAcceptedCredentialIDs = kept.map(({ credentialId }) => credentialId.toString('base64url'));
  return JSON.stringify({ rpID, userID: handleOf(personId), allAcceptedCredentialIDs });
}

export type PasskeyProved = {
  kind: 'proved';
  personId: string;
  personEpoch: string;
  email: string | null;
  proof: FactorProof;
};
export type PasskeyRefused =
  | {
      kind: 'refused';
      code: 'factor.passkey_slow' | 'factor.passkey_changed' | 'factor.passkey_not_accepted';
    }
  | { kind: 'slow-down'; waitSeconds: number };

type Answered = {
  browser: string;
  state: string;
  /** the browser's answer, JSON */
  response: string;
  /** who it must be; null: any person of a local method */
  personId: string | null;
  context: FactorContext;
};

/**
 * The same words for everything that is wrong with an answer, but for a passkey whose own good signature says that it
 * has changed.
 */
export async function provePasskey(input: Answered): Promise<PasskeyProved | PasskeyRefused> {
  const asked = openChallenge(input.state, { ...input, purpose: 'use' });
  if (asked === 'expired') return { kind: 'refused', code: 'factor.passkey_slow' };
  const answer = readAssertion(input.response);
  if (!asked || !answer) return { kind: 'refused', code: 'factor.passkey_not_accepted' };
  try {
    const proved = await underLimits(
      callerLimits(ANSWERS, input.context.ip),
      input.context,
      () => accept(answer, asked, input),
      (result) => result?.kind !== 'proved',
    );
    if (proved?.kind === 'proved') {
      await clearWrongCodes(proved.personId);
      return proved;
    }
    const personId = proved?.personId ?? input.personId;
    if (personId !== null) await noteRefused(personId, input.context, proved?.kind);
    if (proved) return { kind: 'refused', code: 'factor.passkey_changed' };
    return { kind: 'refused', code: 'factor.passkey_not_accepted' };
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    return { kind: 'slow-down', waitSeconds: error.waitSeconds };
  }
}

/** The caller logs a refused sign-in: here the person is not known. */
function noteRefused(personId: string, context: FactorContext, kind: 'changed' | undefined): Promise<void> {
  const reason = kind && { reason: 'it may no longer be copied' };
  const details = { factor: 'passkey', ...reason };
  return recordRefusal({ event: 'factor.refused', actor: personId, ...context, details });
}

/**
 * A synced passkey says that it belongs to one device: another authenticator may answer for it (WebAuthn Level 3
 * §6.1.3).
 */
type PasskeyChanged = { kind: 'changed'; personId: string };

async function accept(
  answer: PasskeyAssertion,
  asked: { challenge: string; challengeHash: Buffer },
  { personId, context }: Answered,
): Promise<PasskeyProved | PasskeyChanged | null> {
  const credentialId = Buffer.from(answer.id, 'base64url');
  const known = await findPasskey(credentialId, settings().passkeyRpId);
  const verified = known && (await verify(answer, known, asked.challenge, { personId, context }));
  if (!verified) return null;
  // authenticators set it when their first sync begins, so a passkey may become one that may be copied; the level is
  // the same
  const backupEligible = verified.credentialDeviceType === 'multiDevice';
  if (known.backupEligible && !backupEligible) return { kind: 'changed', personId: known.personId };
  const used = await acceptPasskey({
    ...context,
    challengeHash: asked.challengeHash,
    credentialId,
    counter: verified.newCounter,
    backupEligible,
    backedUp: verified.credentialBackedUp,
    local: personId === null,
  });
  if (!used) return null;
  if (used.counterBack) countSecurityEvent('passkey.counter_back');
  const { personEpoch, email } = used;
  const proof = passkeyProof(backupEligible);
  return { kind: 'proved', personId: known.personId, personEpoch, email, proof };
}

/** Null: it is not what was asked for; the log says why. */
async function verify(
  answer: PasskeyAssertion,
  known: NonNullable<Awaited<ReturnType<typeof findPasskey>>>,
  challenge: string,
  { personId, context }: Pick<Answered, 'personId' | 'context'>,
) {
  const { userHandle: namedPerson, ...response } = answer.response;
  try {
    if (personId !== null && personId !== known.personId) throw new Error('it is of another person');
    // who signs in without a name is named by the authenticator, beside the credential (WebAuthn Level 3 §7.2 step 6)
    const mayBeUnnamed = personId !== null && !namedPerson;
    if (!mayBeUnnamed && namedPerson !== handleOf(known.personId)) throw new Error('it names another person');
    if (cameFromFrame(answer)) throw new Error('it came from a frame');
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: passkeyOrigins(),
      expectedRPID: settings().passkeyRpId,
      requireUserVerification: true,
      // a counter that goes back is logged and never refused: the statement that accepts compares it
      credential: { id: answer.id, publicKey: new Uint8Array(known.publicKey), counter: 0 },
    });
    if (!verified) throw new Error('the signature is wrong');
    return authenticationInfo;
  } catch (error) {
    log().info({ request_id: context.requestId, reason: whyNot(error) }, 'a passkey was refused');
    return null;
  }
}
