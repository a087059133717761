// What a browser answers (WebAuthn Level 3 §5.1.8): JSON of bounded size, read into what the verifier takes.
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';

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

export type PasskeyAssertion = z.infer<typeof assertion>;
export type PasskeyAttestation = z.infer<typeof attestation>;

const read = <Value>(shape: z.ZodType<Value>, text: string): Value | null =>
  Buffer.byteLength(text) > MAX_BYTES ? null : parseAs(shape, text);

/** The answer to `navigator.credentials.get`; null: it is none. */
export const readAssertion = (text: string): PasskeyAssertion | null => read(assertion, text);

/** The answer to `navigator.credentials.create`; null: it is none. */
export const readAttestation = (text: string): PasskeyAttestation | null => read(attestation, text);

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** WebAuthn Level 3 §5.8.4 */
export const transportsOf = (given: readonly unknown[] = []): string[] =>
  TRANSPORTS.filter((transport) => given.includes(transport));

/** Our pages are never in a frame: an answer from one was requested by another site. */
export function cameFromFrame({ response }: PasskeyAssertion | PasskeyAttestation): boolean {
  const said = parseAs(
    z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() }),
    Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'),
  );
  return said === null;
}

/** For the log: why the verifier refused, without what it quotes from the answer. */
export const whyNot = (error: unknown): string =>
  error instanceof Error ? (error.message.split('"')[0] ?? '').trim().slice(0, 120) : 'unknown';
