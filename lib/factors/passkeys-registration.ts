// A new passkey (WebAuthn Level 3 §7.1): discoverable, with user verification, for one person. Its maker is not asked
// for: no statement of an authenticator about itself is read.
import { log } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { addPasskey } from '#lib/store/people/passkeys.ts';
import { selectPasskeyNames } from '#lib/store/sign-in/passkey-proofs.ts';
import type { FactorContext } from './limits.ts';
import {
  cameFromFrame,
  type PasskeyAttestation,
  readAttestation,
  transportsOf,
  whyNot,
} from './passkeys-answer.ts';
import { CHALLENGE_SECONDS, newChallenge, openChallenge } from './passkeys-challenge.ts';
import { handleOf, passkeyOrigins } from './passkeys-place.ts';
import { passkeyProof } from './passkeys-proof.ts';
import type { FactorProof } from './proof.ts';
import { factorName } from './typed.ts';

/** Ed25519, ES256, RS256 (COSE): what authenticators have. */
const ALGORITHMS = [-8, -7, -257];
const MAX_KEY_BYTES = 2_048;
/** More than anybody has devices. */
const MAX_PASSKEYS = 20;

type PasskeyNotAdded = 'factor.passkey_slow' | 'factor.passkey_not_added' | 'passkey.full';
const NOT_ADDED = 'factor.passkey_not_added';
const WHY_NOT: Record<Exclude<Awaited<ReturnType<typeof addPasskey>>, 'added'>, PasskeyNotAdded> = {
  gone: NOT_ADDED,
  used: NOT_ADDED,
  taken: NOT_ADDED,
  full: 'passkey.full',
};

/**
 * What the browser is asked (JSON), and the seal that comes back with its answer. `label`: the person's e-mail address,
 * which their authenticator shows; `name`: how they are called.
 */
export async function passkeyRegistration(person: {
  personId: string;
  label: string;
  name: string;
  browser: string;
}): Promise<{ options: string; state: string }> {
  const { personId, browser, label } = person;
  const rpId = settings().passkeyRpId;
  const { challenge, state } = newChallenge({ purpose: 'add', personId, browser });
  const known = await selectPasskeyNames(personId, rpId);
  const options = {
    challenge,
    rp: { id: rpId, name: settings().serviceName },
    user: { id: handleOf(personId), name: label, displayName: person.name || label },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId.toString('base64url'),
      transports,
    })),
  };
  return { options: JSON.stringify(options), state };
}

export type PasskeyRegistered =
  | { kind: 'registered'; passkey: { credentialId: Buffer; name: string }; proof: FactorProof }
  | { kind: 'refused'; code: PasskeyNotAdded };

/** `response`: the browser's answer (JSON); `name`: what the person calls it. The audit event is written with it. */
export async function registerPasskey(input: {
  personId: string;
  browser: string;
  state: string;
  response: string;
  name: string;
  context: FactorContext;
}): Promise<PasskeyRegistered> {
  const { personId, browser, context } = input;
  const asked = openChallenge(input.state, { purpose: 'add', personId, browser });
  if (asked === 'expired') return { kind: 'refused', code: 'factor.passkey_slow' };
  const answer = readAttestation(input.response);
  const made = asked && answer && (await verify(answer, asked.challenge, context));
  if (!made) return { kind: 'refused', code: NOT_ADDED };
  const name = nameOf(input.name);
  const credentialId = Buffer.from(made.credential.id, 'base64url');
  const added = await addPasskey(
    {
      credentialId,
      personId,
      rpId: settings().passkeyRpId,
      publicKey: Buffer.from(made.credential.publicKey),
      counter: made.credential.counter,
      transports: transportsOf(answer.response.transports),
      aaguid: /^[0-]+$/.test(made.aaguid) ? null : made.aaguid,
      backupEligible: made.credentialDeviceType === 'multiDevice',
      backedUp: made.credentialBackedUp,
      name,
    },
    { ...context, challengeHash: asked.challengeHash },
    MAX_PASSKEYS,
  );
  if (added !== 'added') return { kind: 'refused', code: WHY_NOT[added] };
  const proof = passkeyProof(made.credentialDeviceType === 'multiDevice');
  return { kind: 'registered', passkey: { credentialId, name }, proof };
}

/** Null: it is not what was asked for; the log says why. */
async function verify(answer: PasskeyAttestation, challenge: string, { requestId }: FactorContext) {
  try {
    if (cameFromFrame(answer)) throw new Error('it came from a frame');
    // loaded here: it takes time and 30 MB, which a service without passkeys does not need
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...answer,
        response: {
          clientDataJSON: answer.response.clientDataJSON,
          attestationObject: await unstated(answer),
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: passkeyOrigins(),
      expectedRPID: settings().passkeyRpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) throw new Error('not verified');
    const { id, publicKey } = registrationInfo.credential;
    if (id !== answer.id) throw new Error('the authenticator made another credential');
    if (publicKey.byteLength > MAX_KEY_BYTES) throw new Error('the public key is too large');
    return registrationInfo;
  } catch (error) {
    log().info({ request_id: requestId, reason: whyNot(error) }, 'a new passkey was refused');
    return null;
  }
}

/**
 * The attestation object without its statement. We request none, but a browser may send one,
 * and the verifier would call the addresses in its certificates.
 */
async function unstated({ response }: PasskeyAttestation): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData');
  if (!(authData instanceof Uint8Array)) throw new Error('there are no authenticator data');
  const parts = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ]);
  return isoBase64URL.fromBuffer(isoCBOR.encode(parts));
}

const nameOf = (given: string): string => factorName(given) ?? 'Passkey';
