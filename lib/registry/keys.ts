// Public keys of clients and other parties, and a signing key as a row of a list. JWK Sets of other parties (RFC
// 7517, RFC 7518 §6) are registered by value or fetched from an address. A key is accepted only if it can be imported
// and verification with it is cheap.
import { createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { z } from 'zod';
import { checkFault, type FaultText, fault } from '#lib/kit/fault.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { noMoreThan, readable, tooLong } from './values.ts';

/** Asymmetric algorithms only, so `none` and HMAC are not accepted. */
export const ASYMMETRIC_ALGS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export const MAX_KEYS = 10;
/** Maximum number of keys of a former issuer. It is high, because Gatehouse cannot shorten another service's key set. */
const MAX_FORMER_KEYS = 100;
const LEAST_RSA_BITS = 2_048;
const MOST_RSA_BITS = 8_192;
/** The usual exponent is 65537. A large exponent makes every verification slow. */
const MOST_RSA_EXPONENT = 2n ** 32n;

/** Signature algorithms of each key type. */
const ALGS_OF: Readonly<Record<string, readonly string[]>> = {
  RSA: ASYMMETRIC_ALGS.filter((alg) => /^[RP]S/.test(alg)),
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

const hidden = z
  .never(
    'must not be included: it is the private part. Register the public key of a new key pair, because this key has been disclosed',
  )
  .exactOptional();
const number = z
  .string('must be base64url')
  .regex(/^[A-Za-z0-9_-]{1,1400}$/, { error: 'must be base64url', abort: true })
  .exactOptional();

/** A public key. Unknown public members are removed. */
export const publicKey = z
  .object({
    kty: z.enum(['RSA', 'EC', 'OKP'], 'must be RSA, EC or OKP: symmetric keys are not accepted'),
    kid: readable(
      z.string('must be a text').min(1, 'must not be empty').max(200, tooLong(200)),
      'line',
    ).exactOptional(),
    use: z.literal('sig', 'must be sig: the key is used for signatures, not for encryption').exactOptional(),
    alg: z
      .enum(ASYMMETRIC_ALGS, checkFault('must be one of {value}', { value: ASYMMETRIC_ALGS }))
      .exactOptional(),
    n: number,
    e: number,
    crv: z
      .string('must be the name of a curve')
      .regex(/^[\w.-]{1,20}$/, 'must be the name of a curve')
      .exactOptional(),
    x: number,
    y: number,
    d: hidden,
    p: hidden,
    q: hidden,
    dp: hidden,
    dq: hidden,
    qi: hidden,
    oth: hidden,
    k: hidden,
  })
  .superRefine((key, context) => {
    const wrong = materialFault(key);
    if (wrong) context.addIssue({ code: 'custom', ...wrong });
  });
type PublicKey = z.output<typeof publicKey>;

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const hasPrivatePart = (key: object): boolean => PRIVATE_PARTS.some((part) => part in key);

/**
 * Removes keys that are not supported, such as keys for encryption (RFC 7517 §5), if a usable key remains. A set with
 * a private, symmetric or invalid key stays unchanged, so that validation rejects it with the path of the key.
 */
function withoutUnknownKeys(set: unknown, most?: number): unknown {
  if (!isRecord(set) || !Array.isArray(set['keys'])) return set;
  const keys: unknown[] = set['keys'];
  if (keys.some((key) => !isRecord(key) || typeof key['kty'] !== 'string' || hasPrivatePart(key))) return set;
  const usable = keys.filter((key) => publicKey.safeParse(key).success);
  return usable.length === 0 ? set : { ...set, keys: usable.slice(0, most) };
}

const checkedKeySet = (most: number) =>
  z
    .object({
      keys: z
        .array(publicKey, 'must be a list of keys')
        .min(1, 'must contain a key')
        .max(most, noMoreThan(most)),
    })
    .superRefine(({ keys }, context) => {
      for (const [at, { kid }] of keys.entries()) {
        const again = kid !== undefined && keys.findIndex((key) => key.kid === kid) < at;
        if (again)
          context.addIssue({ code: 'custom', path: ['keys', at, 'kid'], message: 'is listed twice' });
      }
    });
export const publicKeySet = z.preprocess((set) => withoutUnknownKeys(set), checkedKeySet(MAX_KEYS));
/** The key set of a former issuer. Only the first supported keys are used. */
export const formerKeySet = z.preprocess(
  (set) => withoutUnknownKeys(set, MAX_FORMER_KEYS),
  checkedKeySet(MAX_FORMER_KEYS),
);
export type PublicKeySet = z.output<typeof publicKeySet>;

type Fault = { path: string[] } & FaultText;

function materialFault(key: Omit<PublicKey, 'd'>): Fault | null {
  const kind = key.kty === 'RSA' ? 'RSA' : (key.crv ?? '');
  const algs = ownValue(ALGS_OF, kind);
  if (!algs) return { path: ['crv'], message: 'must be P-256, P-384, P-521 or Ed25519' };
  if (key.alg !== undefined && !algs.includes(key.alg))
    return { path: ['alg'], ...fault('must be {choices} with this key', { choices: algs }) };
  const details = detailsOf(key);
  if (!details) return { path: [], message: 'must be a complete public key' };
  if (kind !== 'RSA') return null;
  const { modulusLength = 0, publicExponent = 0n } = details;
  if (modulusLength < LEAST_RSA_BITS || modulusLength > MOST_RSA_BITS)
    return {
      path: ['n'],
      ...fault('must have {least} to {most} bits', { least: LEAST_RSA_BITS, most: MOST_RSA_BITS }),
    };
  const usual = publicExponent >= 3n && publicExponent < MOST_RSA_EXPONENT && publicExponent % 2n === 1n;
  return usual ? null : { path: ['e'], message: 'must be an odd number from 3, with at most four bytes' };
}

/** Returns the details of the key, such as its size; null: its numbers do not form a valid key. */
function detailsOf(key: Omit<PublicKey, 'd'>) {
  try {
    const keyInput: JsonWebKeyInput = { key: { ...key }, format: 'jwk' };
    return createPublicKey(keyInput).asymmetricKeyDetails ?? null;
  } catch {
    return null;
  }
}

// A signing key as a row of a list.

const moment = z.string().describe('ISO 8601');

export const keyRow = z.strictObject({
  kid: z.string(),
  alg: z.string(),
  state: z.enum(['signs', 'next', 'verifies', 'expired', 'retired']),
  signsFrom: moment,
  retiresAt: moment.nullable(),
});
export type KeyRow = z.output<typeof keyRow>;
