// Software authenticator plus browser (WebAuthn Level 3 §6), with correct or deliberately wrong responses.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

export type Wrong = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  /** flags of the authenticator data: user present, user verified, may be backed up, is backed up */
  flags?: Partial<Record<'up' | 'uv' | 'be' | 'bs', boolean>>;
  counter?: number;
  /** user handle in base64url; null: the response contains none */
  userHandle?: string | null;
  /** attestation statement that replaces `none` */
  statement?: { fmt: string; attStmt: Map<unknown, unknown> };
  /** credential id of another passkey, which replaces the correct id */
  id?: string;
  transports?: unknown;
};

type Passkey = { id: Buffer; key: KeyObject; algorithm: Algorithm; userHandle: string; counter: number };

const FLAGS = { up: 1, uv: 4, be: 8, bs: 16 };
const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest();

export class Authenticator {
  readonly #origin: string;
  readonly #algorithm: Algorithm;
  /** created passkeys, newest last */
  readonly passkeys: Passkey[] = [];

  constructor(origin: string, algorithm: Algorithm = 'ES256') {
    this.#origin = origin;
    this.#algorithm = algorithm;
  }

  /** Simulates `navigator.credentials.create` with these options (JSON). Returns the response as JSON. */
  create(options: string, wrong: Wrong = {}, credentialId: Buffer = randomBytes(32)): string {
    const asked = JSON.parse(options) as {
      challenge: string;
      rp: { id: string };
      user: { id: string };
    };
    const { key, cose } = newKey(this.#algorithm);
    const passkey = {
      id: credentialId,
      key,
      algorithm: this.#algorithm,
      userHandle: asked.user.id,
      counter: 0,
    };
    this.passkeys.push(passkey);
    const attested = Buffer.concat([Buffer.alloc(16), uint16(passkey.id.length), passkey.id, cose]);
    const authData = this.#data(wrong.rpId ?? asked.rp.id, wrong, wrong.counter ?? 0, attested);
    const { fmt, attStmt } = wrong.statement ?? { fmt: 'none', attStmt: new Map() };
    const attestationObject = cbor(
      new Map<unknown, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    );
    const id = wrong.id ?? passkey.id.toString('base64url');
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', asked.challenge, wrong).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: wrong.transports ?? ['internal'],
      },
      clientExtensionResults: {},
    });
  }

  /**
   * Simulates `navigator.credentials.get` with these JSON options and the newest or given passkey. Returns the JSON
   * response.
   */
  get(options: string, wrong: Wrong = {}, passkey = this.passkeys.at(-1)): string {
    if (!passkey) throw new Error('the authenticator has no passkey');
    const asked = JSON.parse(options) as { challenge: string; rpId: string };
    passkey.counter += 1;
    const clientData = this.#clientData('webauthn.get', asked.challenge, wrong);
    const authData = this.#data(wrong.rpId ?? asked.rpId, wrong, wrong.counter ?? passkey.counter);
    const signed = Buffer.concat([authData, digest(clientData)]);
    const id = wrong.id ?? passkey.id.toString('base64url');
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign(passkey.algorithm === 'EdDSA' ? null : 'sha256', signed, passkey.key).toString(
          'base64url',
        ),
        userHandle: wrong.userHandle === undefined ? passkey.userHandle : wrong.userHandle,
      },
      clientExtensionResults: {},
    });
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const { origin = this.#origin, crossOrigin = false } = wrong;
    const data = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin, crossOrigin };
    return Buffer.from(JSON.stringify(data));
  }

  #data(rpId: string, { flags: wrong }: Wrong, counter: number, attested?: Buffer): Buffer {
    const flags = { up: true, uv: true, be: false, bs: false, ...wrong };
    const bits = Object.entries(FLAGS).reduce(
      (sum, [name, bit]) => sum + (flags[name as keyof typeof FLAGS] ? bit : 0),
      attested ? 64 : 0,
    );
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([digest(rpId), Buffer.from([bits]), count, attested ?? Buffer.alloc(0)]);
  }
}

function newKey(algorithm: Algorithm): { key: KeyObject; cose: Buffer } {
  const part = (jwk: JsonWebKey, name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
  if (algorithm === 'RS256') {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    const cose: [number, unknown][] = [
      [1, 3],
      [3, -257],
      [-1, part(jwk, 'n')],
      [-2, part(jwk, 'e')],
    ];
    return { key: privateKey, cose: cbor(new Map(cose)) };
  }
  if (algorithm === 'EdDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const cose: [number, unknown][] = [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, part(publicKey.export({ format: 'jwk' }), 'x')],
    ];
    return { key: privateKey, cose: cbor(new Map(cose)) };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const cose: [number, unknown][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, part(jwk, 'x')],
    [-3, part(jwk, 'y')],
  ];
  return { key: privateKey, cose: cbor(new Map(cose)) };
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/**
 * Encodes a value as CBOR (RFC 8949 §3), as far as WebAuthn needs it: whole numbers, texts, bytes, lists and
 * maps.
 */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error(`no CBOR for ${typeof value}`);
}

function head(major: number, value: number): Buffer {
  const type = major << 5;
  if (value < 24) return Buffer.from([type | value]);
  if (value < 256) return Buffer.from([type | 24, value]);
  return Buffer.concat([Buffer.from([type | 25]), uint16(value)]);
}
