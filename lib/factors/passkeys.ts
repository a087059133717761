// Passkeys (WebAuthn Level 3): registration (§7.1), authentication (§7.2), and the JSON that a browser returns
// (§5.1.8).
import { isIP } from 'node:net';
import { z } from 'zod';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { methodCan, secondFactorOf } from '#lib/catalogue/methods/questions.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { parseAs, sealJson, unsealJson } from '#lib/kit/seal.ts';
import { countSecurityEvent } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { addPasskey } from '#lib/store/factors.ts';
import {
  acceptPasskey,
  clearWrongCodes,
  findPasskey,
  selectPasskeyNames,
} from '#lib/store/hot/factor-proofs.ts';
import { callerLimits } from '#lib/store/hot/limits.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { type FactorContext, type FactorProof, factorName } from './factor.ts';

// Domains on which passkeys can be used. A passkey belongs to a domain, and works on the pages of Gatehouse.

/**
 * Origins of Gatehouse's pages. If BASE_URL is outside the domain, browsers fetch `/.well-known/webauthn` to confirm
 * the relation.
 */
export function passkeyOrigins(): string[] {
  const { authUrl, baseUrl } = settings();
  return [...new Set([authUrl, baseUrl])];
}

/**
 * True if Gatehouse can use passkeys. Browsers do not support passkeys for IP addresses (WebAuthn Level 3
 * §5.1.2).
 */
export const hasPasskeys = (): boolean => isIP(settings().passkeyRpId.replace(/^\[|\]$/g, '')) === 0;

/**
 * True if the person has a passkey that was registered for this domain. Passkeys for other domains are factors, too,
 * but cannot be used.
 */
export const hasPasskeyHere = async (personId: string): Promise<boolean> =>
  hasPasskeys() && (await selectPasskeyNames(personId, settings().passkeyRpId)).length > 0;

/**
 * True if a passkey alone is enough to sign in with this method. False for brokers and verifiers, because these must
 * confirm each sign-in themselves.
 */
export const takesPasskeys = (method: { type: string; config: Record<string, unknown> }): boolean =>
  methodCan(method, 'hasAccounts') && secondFactorOf(method) !== 'off' && hasPasskeys();

/**
 * The user handle that an authenticator stores with a passkey: the bytes of the person’s id as base64url, no name
 * (WebAuthn Level 3 §14.6.1).
 */
const handleOf = (personId: string): string =>
  Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');

// The browser’s response (WebAuthn Level 3 §5.1.8): JSON of limited size, parsed into the input of the verifier.

const MAX_BYTES = 16_384;

/** base64url text of `min` to `max` bytes */
const bytes = (max: number, min = 1) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .min(Math.ceil((min * 4) / 3))
    .max(Math.ceil((max * 4) / 3));

/** Credential id: 16 to 1023 bytes (WebAuthn Level 3 §4). */
const credentialId = bytes(1_023, 16);
const clientData = bytes(2_048);

const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: bytes(2_048),
    signature: bytes(1_024),
    // missing, null or empty if the authenticator stores no handle
    userHandle: bytes(64).or(z.literal('')).nullish(),
  }),
});

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: bytes(8_192),
    // hint for the browser; invalid entries in the list are dropped
    transports: z.array(z.unknown()).max(32).optional(),
  }),
});

type PasskeyAssertion = z.infer<typeof assertion>;
type PasskeyAttestation = z.infer<typeof attestation>;

const read = <Value>(shape: z.ZodType<Value>, text: string): Value | null =>
  Buffer.byteLength(text) > MAX_BYTES ? null : parseAs(shape, text);

/** Parses the result of `navigator.credentials.get`; `null`: invalid. */
const readAssertion = (text: string): PasskeyAssertion | null => read(assertion, text);

/** Parses the result of `navigator.credentials.create`; `null`: invalid. */
const readAttestation = (text: string): PasskeyAttestation | null => read(attestation, text);

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** Returns the transports that WebAuthn Level 3 §5.8.4 defines, and drops all others. */
const transportsOf = (transportNames: readonly unknown[] = []): string[] =>
  TRANSPORTS.filter((transport) => transportNames.includes(transport));

/** True if the response comes from a frame of another site, because Gatehouse's pages never run in frames. */
function cameFromFrame({ response }: PasskeyAssertion | PasskeyAttestation): boolean {
  const parsedData = parseAs(
    z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() }),
    Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'),
  );
  return parsedData === null;
}

/** Returns the reason for a rejection, for the log. It quotes no part of the response. */
const whyNot = (error: unknown): string =>
  error instanceof Error ? (error.message.split('"')[0] ?? '').trim().slice(0, 120) : 'unknown';

// The page contains its challenge, sealed for this browser and purpose, so that showing a page stores nothing. The
// challenge is stored when a response is accepted, so that it works only once (WebAuthn Level 3 §13.4.3).

/** Time limit for a response, in the browser and on the server. */
const CHALLENGE_SECONDS = 300;

const shape = z.object({ challenge: z.string(), personId: z.string().nullable(), at: z.number() });

/**
 * `add`: registers a new passkey of this person. `use`: signs in with a passkey of this person, or of any person
 * (null).
 */
type For = { purpose: 'add' | 'use'; browser: string; personId: string | null };

const sealedFor = ({ purpose, browser }: For) => `passkey ${purpose} ${browser}`;

/** Returns 256 random bits as base64url, and the seal that the browser returns with its response. */
function newChallenge(ceremony: For): { challenge: string; state: string } {
  const challenge = randomToken('');
  const value = { challenge, personId: ceremony.personId, at: now().getTime() };
  return { challenge, state: sealJson(value, sealedFor(ceremony), settings().secrets) };
}

/**
 * Opens the sealed challenge. `expired`: it is too old. `null`: the browser, purpose or person differs, or the seal
 * is invalid.
 */
function openChallenge(
  state: string,
  ceremony: For,
): { challenge: string; challengeHash: Buffer } | 'expired' | null {
  const opened = unsealJson(shape, state, sealedFor(ceremony), settings().secrets);
  if (opened === null || opened.personId !== ceremony.personId) return null;
  if (now().getTime() - opened.at > CHALLENGE_SECONDS * 1000) return 'expired';
  return { challenge: opened.challenge, challengeHash: sha256(`webauthn ${opened.challenge}`) };
}

/** Limits per address and in total, because a wrong response costs one database lookup and one signature check. */
const ANSWERS = { what: 'passkeys', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/** `swk`: the authenticator's vendor may hold a copy; `hwk`: the key cannot leave the device. */
const passkeyProof = (backupEligible: boolean): FactorProof => ({
  kind: 'passkey',
  level: 3,
  amr: [backupEligible ? 'swk' : 'hwk', 'user', 'mfa'],
});

/**
 * Options for the browser (JSON), and the seal that the browser must send back. If no person is given, the browser
 * offers all passkeys of this domain, and the page reveals no account.
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
  const passkeys = personId === null ? [] : await selectPasskeyNames(personId, rpId);
  const options = {
    challenge,
    rpId,
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    ...(personId !== null && {
      allowCredentials: passkeys.map(({ credentialId, transports }) => ({
        type: 'public-key',
        id: credentialId.toString('base64url'),
        transports,
      })),
    }),
  };
  return { options: JSON.stringify(options), state };
}

/**
 * The person's passkeys as JSON, for `data-passkey-signal` on the page that lists them. Browsers with the Signal API
 * then hide the person's other passkeys (WebAuthn Level 3 §5.1.10).
 */
export async function passkeySignal(personId: string): Promise<string> {
  const rpID = settings().passkeyRpId;
  const passkeyNames = await selectPasskeyNames(personId, rpID);
  const allAcceptedCredentialIDs = passkeyNames.map(({ credentialId }) => credentialId.toString('base64url'));
  return JSON.stringify({ rpID, userID: handleOf(personId), allAcceptedCredentialIDs });
}

export type PasskeyProved = {
  kind: 'proved';
  personId: string;
  personEpoch: string;
  email: string | null;
  username: string | null;
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
  /** the response of the browser, as JSON */
  response: string;
  /** the person who must own the passkey; `null`: any person of a local method */
  personId: string | null;
  context: FactorContext;
};

/**
 * Returns the same error for every invalid response. The only exception is a changed passkey with a valid signature.
 */
export async function provePasskey(input: Answered): Promise<PasskeyProved | PasskeyRefused> {
  const challenge = openChallenge(input.state, { ...input, purpose: 'use' });
  if (challenge === 'expired') return { kind: 'refused', code: 'factor.passkey_slow' };
  const answer = readAssertion(input.response);
  if (!challenge || !answer) return { kind: 'refused', code: 'factor.passkey_not_accepted' };
  try {
    const proved = await underLimits(
      callerLimits(ANSWERS, input.context.ip),
      input.context,
      () => accept(answer, challenge, input),
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

/** Records the rejection for a known person. If the person is unknown, the caller logs the rejected sign-in. */
function noteRefused(personId: string, context: FactorContext, kind: 'changed' | undefined): Promise<void> {
  const reason = kind && { reason: 'it may no longer be copied' };
  const details = { factor: 'passkey', ...reason };
  return recordRefusal({ event: 'factor.refused', actor: personId, ...context, details });
}

/**
 * A synced passkey that claims to be bound to one device: another authenticator may be impersonating it (WebAuthn
 * Level 3 §6.1.3).
 */
type PasskeyChanged = { kind: 'changed'; personId: string };

async function accept(
  answer: PasskeyAssertion,
  challenge: { challenge: string; challengeHash: Buffer },
  { personId, context }: Answered,
): Promise<PasskeyProved | PasskeyChanged | null> {
  const credentialId = Buffer.from(answer.id, 'base64url');
  const passkey = await findPasskey(credentialId, settings().passkeyRpId);
  const verified =
    passkey && (await verifyProof(answer, passkey, challenge.challenge, { personId, context }));
  if (!verified) return null;
  // some authenticators set the flag "backup eligible" at their first sync, so a passkey can become copyable
  // later; its level does not change
  const backupEligible = verified.credentialDeviceType === 'multiDevice';
  if (passkey.backupEligible && !backupEligible) return { kind: 'changed', personId: passkey.personId };
  const used = await acceptPasskey({
    ...context,
    challengeHash: challenge.challengeHash,
    credentialId,
    counter: verified.newCounter,
    backupEligible,
    backedUp: verified.credentialBackedUp,
    local: personId === null,
  });
  if (!used) return null;
  if (used.counterBack) countSecurityEvent('passkey.counter_back');
  const { personEpoch, email, username } = used;
  const proof = passkeyProof(backupEligible);
  return { kind: 'proved', personId: passkey.personId, personEpoch, email, username, proof };
}

/** Returns null if the proof is invalid; the log then contains the reason. */
async function verifyProof(
  answer: PasskeyAssertion,
  passkey: NonNullable<Awaited<ReturnType<typeof findPasskey>>>,
  challenge: string,
  { personId, context }: Pick<Answered, 'personId' | 'context'>,
) {
  const { userHandle: namedPerson, ...response } = answer.response;
  try {
    if (personId !== null && personId !== passkey.personId) throw new Error('it is of another person');
    // if no name was typed, the user handle from the authenticator identifies the person (WebAuthn Level 3 §7.2 step
    // 6)
    const mayBeUnnamed = personId !== null && !namedPerson;
    if (!mayBeUnnamed && namedPerson !== handleOf(passkey.personId))
      throw new Error('it names another person');
    if (cameFromFrame(answer)) throw new Error('it came from a frame');
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: passkeyOrigins(),
      expectedRPID: settings().passkeyRpId,
      requireUserVerification: true,
      // a decreasing counter is logged and not rejected; the SQL statement that accepts the passkey compares the
      // counters
      credential: { id: answer.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    });
    if (!verified) throw new Error('the signature is wrong');
    return authenticationInfo;
  } catch (error) {
    log().info({ request_id: context.requestId, reason: whyNot(error) }, 'a passkey was refused');
    return null;
  }
}

// Registration of a passkey (WebAuthn Level 3 §7.1): discoverable, with user verification, for one person. Gatehouse
// does not ask who made the authenticator, and reads no attestation.

/** COSE numbers of Ed25519, ES256 and RS256, the algorithms that authenticators support. */
const ALGORITHMS = [-8, -7, -257];
const MAX_KEY_BYTES = 2_048;
/** Maximum number of passkeys per person, which is more than the number of their devices. */
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
 * Options for the browser (JSON), and the seal that the browser must send back. `label`: the person's email address,
 * which the authenticator shows. `name`: display name.
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
  const passkeyNames = await selectPasskeyNames(personId, rpId);
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
    excludeCredentials: passkeyNames.map(({ credentialId, transports }) => ({
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

/**
 * Stores a new passkey. `response`: the response of the browser (JSON). `name`: the name that the person gave the
 * passkey. The audit event is written in the same transaction.
 */
export async function registerPasskey(input: {
  personId: string;
  browser: string;
  state: string;
  response: string;
  name: string;
  context: FactorContext;
}): Promise<PasskeyRegistered> {
  const { personId, browser, context } = input;
  const challenge = openChallenge(input.state, { purpose: 'add', personId, browser });
  if (challenge === 'expired') return { kind: 'refused', code: 'factor.passkey_slow' };
  const answer = readAttestation(input.response);
  const registration =
    challenge && answer && (await verifyRegistration(answer, challenge.challenge, context));
  if (!registration) return { kind: 'refused', code: NOT_ADDED };
  const name = nameOf(input.name);
  const credentialId = Buffer.from(registration.credential.id, 'base64url');
  const added = await addPasskey(
    {
      credentialId,
      personId,
      rpId: settings().passkeyRpId,
      publicKey: Buffer.from(registration.credential.publicKey),
      counter: registration.credential.counter,
      transports: transportsOf(answer.response.transports),
      aaguid: /^[0-]+$/.test(registration.aaguid) ? null : registration.aaguid,
      backupEligible: registration.credentialDeviceType === 'multiDevice',
      backedUp: registration.credentialBackedUp,
      name,
    },
    { ...context, challengeHash: challenge.challengeHash },
    MAX_PASSKEYS,
  );
  if (added !== 'added') return { kind: 'refused', code: WHY_NOT[added] };
  const proof = passkeyProof(registration.credentialDeviceType === 'multiDevice');
  return { kind: 'registered', passkey: { credentialId, name }, proof };
}

/** Returns null if the proof is invalid; the log then contains the reason. */
async function verifyRegistration(
  answer: PasskeyAttestation,
  challenge: string,
  { requestId }: FactorContext,
) {
  try {
    if (cameFromFrame(answer)) throw new Error('it came from a frame');
    // loaded only when needed, because it takes time and 30 MB, and a service without passkeys never needs it
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...answer,
        response: {
          clientDataJSON: answer.response.clientDataJSON,
          attestationObject: await removeAttestation(answer),
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
 * Removes the attestation statement. Gatehouse requests none, but browsers may send one, and the verifier would fetch
 * URLs from its certificates.
 */
async function removeAttestation({ response }: PasskeyAttestation): Promise<string> {
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

const nameOf = (typedName: string): string => factorName(typedName) ?? 'Passkey';
