// Access tokens of clients in their own name (RFC 6749 §4.4). They have a table of their own and a prefix (a JWT: in
// its `jti`), by which a lookup knows which table to read.
import { decodeJwt } from 'jose';
import { findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { ACCESS_TOKEN_TYPE } from './access-token.ts';
import { hashPresented, mint } from './formats.ts';
import { verifyCompact } from './jws.ts';

/** The token itself, or what a JWT will be called by. */
export type MachineToken = { opaque: string } | { jti: string };

/** `hash`: what the row is found by; `jti`: of a JWT. */
export type PresentedMachine = { hash: Buffer; jti?: string };

/** No `jti` of a person's begins like this, and no opaque token. */
const JTI = /^machine\.[\w-]{43}$/;

/** Made before the statement that stores it. */
export function mintMachineToken(api: SnapshotApi): { token: MachineToken; hash: Buffer } {
  if (api.accessTokenFormat === 'opaque') {
    const { value, hash } = mint('machine');
    return { token: { opaque: value }, hash };
  }
  const jti = randomToken('machine.');
  return { token: { jti }, hash: sha256(jti) };
}

/** Null for anything but a token that this service gave to a machine; whether it lives, the store knows. */
export function readMachineToken(token: string, snapshot: Snapshot): PresentedMachine | null {
  const hash = hashPresented('machine', token);
  if (hash) return { hash };
  // no second signature is checked for what a person's token would have been
  if (!claimsMachine(token)) return null;
  const payload = verifyCompact(token, ACCESS_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const { jti, exp } = payload ?? {};
  if (typeof jti !== 'string' || typeof exp !== 'number' || exp <= nowSeconds()) return null;
  return { hash: sha256(jti), jti };
}

/** Does it call itself one, unverified? */
function claimsMachine(token: string): boolean {
  try {
    return JTI.test(decodeJwt(token).jti ?? '');
  } catch {
    return false;
  }
}
