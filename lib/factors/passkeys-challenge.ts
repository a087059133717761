// A challenge is sealed into the page that shows it, for its browser and its purpose, so that a page view stores
// nothing. It is stored when an answer to it is accepted (WebAuthn Level 3 §13.4.3).
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';

/** How long an answer may take: to both sides. */
export const CHALLENGE_SECONDS = 300;

const shape = z.object({ challenge: z.string(), personId: z.string().nullable(), at: z.number() });

/** `add`: a new passkey of this person. `use`: of this person, or of any person (null). */
type For = { purpose: 'add' | 'use'; browser: string; personId: string | null };

const sealedFor = ({ purpose, browser }: For) => `passkey ${purpose} ${browser}`;

/** 256 random bits as base64url, and the seal that comes back with the answer. */
export function newChallenge(asked: For): { challenge: string; state: string } {
  const challenge = randomToken('');
  const value = { challenge, personId: asked.personId, at: now().getTime() };
  return { challenge, state: sealJson(value, sealedFor(asked), settings().secrets) };
}

/** What was asked; `expired`, or null for a seal of another browser, purpose or person, or that is none of ours. */
export function openChallenge(
  state: string,
  asked: For,
): { challenge: string; challengeHash: Buffer } | 'expired' | null {
  const opened = unsealJson(shape, state, sealedFor(asked), settings().secrets);
  if (opened === null || opened.personId !== asked.personId) return null;
  if (now().getTime() - opened.at > CHALLENGE_SECONDS * 1000) return 'expired';
  return { challenge: opened.challenge, challengeHash: sha256(`webauthn ${opened.challenge}`) };
}
