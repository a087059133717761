// A notice is shown once: the address after a form has it sealed for the person who sent the form, with what it is
// about, and the page that shows it uses it up, like the token of a form. A page that is loaded again, kept or sent on
// says nothing of it.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { nowSeconds, randomToken, seal, unseal } from '#lib/kit/index.ts';
import type { EnglishSentence } from '#lib/language/index.ts';
import { claimForm } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

/** Shorter than a used token is remembered (`used_forms`). */
const LIFE_SECONDS = 600;

/** In an address, which some proxies cut off where it is longer. */
const MAX_LENGTH = 6_000;

/** Why something was not done. `of`: its name, where it was one of several. */
export type Problem = { of?: string; why: EnglishSentence };

/** `undo`: the fields of the form that takes back what was done, of which one name may come several times. */
export type Telling = {
  about: string | EnglishSentence | null;
  /** what was not done */
  problems?: readonly Problem[];
  undo?: readonly (readonly [name: string, value: string])[];
};
type Told = Telling & { id: string; at: number; nonce: string };

const purpose = (personId: string) => `console notice ${personId}`;

/** `id`: of the notice. `about`: what was decided on, in the words that people have for it. */
export function sealNotice(id: string, telling: Telling, personId: string): string {
  const sealed = (more: Telling) => {
    const told: Told = { ...more, id, at: nowSeconds(), nonce: randomToken('') };
    const packed = deflateRawSync(Buffer.from(JSON.stringify(told))).toString('base64url');
    return seal(packed, purpose(personId), settings().secrets);
  };
  const whole = sealed(telling);
  return whole.length <= MAX_LENGTH ? whole : sealed({ about: telling.about });
}

/**
 * What the notice says, and how many seconds ago it was; undefined: it is no notice of this person's and of this id, or
 * was shown, or is too old.
 */
export async function tellOnce(
  sealed: string,
  id: string | undefined,
  personId: string,
): Promise<(Telling & { secondsAgo: number }) | undefined> {
  const packed = unseal(sealed, purpose(personId), settings().secrets);
  if (!packed) return undefined;
  const told = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Told;
  const { id: of, at, nonce: _, ...telling } = told;
  const secondsAgo = nowSeconds() - at;
  if (of !== id || secondsAgo > LIFE_SECONDS) return undefined;
  return (await claimForm(sealed)) ? { ...telling, secondsAgo } : undefined;
}
