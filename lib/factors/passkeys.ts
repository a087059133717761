// Passkeys (WebAuthn Level 3): a new passkey (§7.1), a proof of identity (§7.2), and what a browser answers (§5.1.8).
import { isIP } from 'node:net';
import { z } from 'zod';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { parseAs, sealJson, unsealJson } from '#lib/kit/seal.ts';
import { countSecurityEvent } from '#lib/observability/metrics.ts';
import { methodCan, secondFactorOf } from '#lib/registry/methods/questions.ts';
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

// Where passkeys work: they belong to a domain, and are used on our own pages.

/**
 * The origins of our pages. Where BASE_URL is not below the domain, browsers ask `/.well-known/webauthn` whether it
 * belongs to it.
 */
export function passkeyOrigins(): string[] {
  const { authUrl, baseUrl } = settings();
  return [...new Set([authUrl, baseUrl])];
}

/** A browser knows no passkey of an address without a name (WebAuthn Level 3 §5.1.2). */
export const hasPasskeys = (): boolean => isIP(settings().passkeyRpId.replace(/^\[|\]$/g, '')) === 0;

/**
 * Does the person have a passkey of this domain? One of another domain still counts as a factor, and can not be used.
 */
export const hasPasskeyHere = async (personId: string): Promise<boolean> =>
  hasPasskeys() && (await selectPasskeyNames(personId, settings().passkeyRpId)).length > 0;

/** Can a passkey be the only step at this method? A broker or a verifier must vouch each time. */
export const takesPasskeys = (method: { type: string; config: Record<string, unknown> }): boolean =>
  methodCan(method, 'hasAccounts') && secondFactorOf(method) !== 'off' && hasPasskeys();

/**
 * What an authenticator keeps beside a passkey: the bytes of the person's id as base64url, no name (WebAuthn Level 3
 * §14.6.1).
 */
const handleOf = (personId: string): string =>
  Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');

// What a browser answers (WebAuthn Level 3 §5.1.8): JSON of bounded size, read into what the verifier takes.

const MAX_BYTES = 16_384;

/** base64url of that many bytes */
const bytes = (max: number, min = 1) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .min(Math.ceil((min * 4) / 3))
    .max(Math.ceil((max * 4) / 3));

/** WebAuthn Level 3 §4: at least 16 bytes, at most 1023 */
const credentialId = bytes(1_023, 16);
const clientData = bytes(2_048);

const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: bytes(2_048),
    signature: bytes(1_024),
    // left out, null or empty by authenticators that keep none
    userHandle: bytes(64).or(z.literal('')).nullish(),
  }),
});

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: bytes(8_192),
    // of no use but as a hint for the browser that asked: what it cannot be is left out
    transports: z.array(z.unknown()).max(32).optional(),
  }),
});

type PasskeyAssertion = z.infer<typeof assertion>;
type PasskeyAttestation = z.infer<typeof attestation>;

const read = <Value>(shape: z.ZodType<Value>, text: string): Value | null =>
  Buffer.byteLength(text) > MAX_BYTES ? null : parseAs(shape, text);

/** The answer to `navigator.credentials.get`; null: it is none. */
const readAssertion = (text: string): PasskeyAssertion | null => read(assertion, text);

/** The answer to `navigator.credentials.create`; null: it is none. */
const readAttestation = (text: string): PasskeyAttestation | null => read(attestation, text);

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** WebAuthn Level 3 §5.8.4 */
const transportsOf = (given: readonly unknown[] = []): string[] =>
  TRANSPORTS.filter((transport) => given.includes(transport));

/** Our pages are never in a frame: an answer from one was requested by another site. */
function cameFromFrame({ response }: PasskeyAssertion | PasskeyAttestation): boolean {
  const said = parseAs(
    z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() }),
    Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'),
  );
  return said === null;
}

/** For the log: why the verifier refused, without what it quotes from the answer. */
const whyNot = (error: unknown): string =>
  error instanceof Error ? (error.message.split('"')[0] ?? '').trim().slice(0, 120) : 'unknown';

// A challenge is sealed into the page that shows it, for its browser and its purpose, so that a page view stores
// nothing. It is stored when an answer to it is accepted (WebAuthn Level 3 §13.4.3).

/** How long an answer may take: to both sides. */
const CHALLENGE_SECONDS = 300;

const shape = z.object({ challenge: z.string(), personId: z.string().nullable(), at: z.number() });

/** `add`: a new passkey of this person. `use`: of this person, or of any person (null). */
type For = { purpose: 'add' | 'use'; browser: string; personId: string | null };

const sealedFor = ({ purpose, browser }: For) => `passkey ${purpose} ${browser}`;

/** 256 random bits as base64url, and the seal that comes back with the answer. */
function newChallenge(asked: For): { challenge: string; state: string } {
  const challenge = randomToken('');
  const value = { challenge, personId: asked.personId, at: now().getTime() };
  return { challenge, state: sealJson(value, sealedFor(asked), settings().secrets) };
}

/** What was asked; `expired`, or null for a seal of another browser, purpose or person, or that is none of ours. */
function openChallenge(
  state: string,
  asked: For,
): { challenge: string; challengeHash: Buffer } | 'expired' | null {
  const opened = unsealJson(shape, state, sealedFor(asked), settings().secrets);
  if (opened === null || opened.personId !== asked.personId) return null;
  if (now().getTime() - opened.at > CHALLENGE_SECONDS * 1000) return 'expired';
  return { challenge: opened.challenge, challengeHash: sha256(`webauthn ${opened.challenge}`) };
}

/** From one address, and from everybody: a wrong one costs a look at the table and a signature. */
const ANSWERS = { what: 'passkeys', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/** A copy of it may lie with the maker of the authenticator, or it cannot leave the device. */
const passkeyProof = (backupEligible: boolean): FactorProof => ({
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
  const verified = known && (await verifyProof(answer, known, asked.challenge, { personId, context }));
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
async function verifyProof(
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

// A new passkey (WebAuthn Level 3 §7.1): discoverable, with user verification, for one person. Its maker is not asked
// for: no statement of an authenticator about itself is read.

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
  const made = asked && answer && (await verifyRegistration(answer, asked.challenge, context));
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
async function verifyRegistration(
  answer: PasskeyAttestation,
  challenge: string,
  { requestId }: FactorContext,
) {
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
