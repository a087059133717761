// The routing slot of a credential (docs/decisions/0043). Whoever keeps the rows in several databases must know which one has a
// token before they look it up, and a token says it: each person has one of 65,536 slots, and codes, tokens and session ids
// carry it from their first day, so that none has to be given anew on the day of the move. Today nothing reads it but whoever
// gives the next token.
//
// It is blinded with what only this service can work out of the token's own random part: to anybody else each token's slot is
// noise, the same person's two tokens have nothing in common, and no client can tell by it whom another client knows (0037).
import { hash, hkdfSync } from 'node:crypto';
import { settings } from '#lib/settings/index.ts';

/** Slots are numbers from 0 to one less. */
export const SLOTS = 65_536;

/** A slot in two bytes and four of zero, all blinded, as base64url. */
export const SLOT_CHARACTERS = 8;

const SLOT_BYTES = 2;
const BLOCK_BYTES = 6;

/** The slot of a person, by their id (a UUID): the first two bytes of its SHA-256. The same in SQL: docs/scale.md. */
export function slotOf(personId: string): number {
  return hash('sha256', Buffer.from(personId.replaceAll('-', ''), 'hex'), 'buffer').readUInt16BE(0);
}

/** The slot of a client in its own name, by its id: found as a person's is. */
export function slotOfMachine(clientId: string): number {
  return hash('sha256', clientId, 'buffer').readUInt16BE(0);
}

let blindingKeys: { secrets: readonly string[]; keys: string[] } | undefined;

/** One for each GATEHOUSE_SECRET, newest first; 32 bytes, as text for the hash. */
export function slotKeys(): string[] {
  const { secrets } = settings();
  if (blindingKeys?.secrets !== secrets) {
    const keyOf = (secret: string) =>
      Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'routing slot v1', 32)).toString('base64url');
    blindingKeys = { secrets, keys: secrets.map(keyOf) };
  }
  return blindingKeys.keys;
}

/**
 * What hides the slot in front of a random part: its first six bytes count. Key and random part have one length each, so a
 * plain hash of both is as good as an HMAC, and costs half of it.
 */
const noiseOf = (key: string, random: string): Buffer => hash('sha256', key + random, 'buffer');

/** The random part of a credential with the slot in front of it. */
export function withSlot(random: string, slot: number): string {
  const block = noiseOf(slotKeys()[0] ?? '', random);
  block.writeUInt16BE(block.readUInt16BE() ^ slot);
  return block.toString('base64url', 0, BLOCK_BYTES) + random;
}

/**
 * The slot in front of a random part; null: it was put there by nobody, or under a GATEHOUSE_SECRET that is gone. It says where
 * to look, and nothing of whether the credential is good: four bytes of zero come out by chance once in 4 * 10^9.
 */
export function slotIn(text: string): number | null {
  const block = Buffer.from(text.slice(0, SLOT_CHARACTERS), 'base64url');
  if (block.length !== BLOCK_BYTES) return null;
  const random = text.slice(SLOT_CHARACTERS);
  for (const key of slotKeys()) {
    const noise = noiseOf(key, random);
    const isOurs = noise.readUInt32BE(SLOT_BYTES) === block.readUInt32BE(SLOT_BYTES);
    if (isOurs) return noise.readUInt16BE() ^ block.readUInt16BE();
  }
  return null;
}
