// A notice is shown once: the address after a form has it sealed for the person who sent the form, with what it is
// about, and the page that shows it uses it up, like the token of a form. A page that is loaded again, kept or sent on
// says nothing of it.
import { nowSeconds, randomToken, seal, unseal } from '#lib/kit/index.ts';
import { claimForm } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

/** Shorter than a used token is remembered (`used_forms`). */
const LIFE_SECONDS = 600;

type Told = { id: string; about: string | null; at: number; nonce: string };

const purpose = (personId: string) => `console notice ${personId}`;

/** `id`: of the notice. `about`: what was decided on, in the words that people have for it. */
export function sealNotice(id: string, about: string | null, personId: string): string {
  const told: Told = { id, about, at: nowSeconds(), nonce: randomToken('') };
  return seal(JSON.stringify(told), purpose(personId), settings().secrets);
}

/**
 * What the notice is about; undefined: it is no notice of this person's and of this id, or was shown, or is too old.
 */
export async function tellOnce(
  sealed: string,
  id: string | undefined,
  personId: string,
): Promise<string | null | undefined> {
  const text = unseal(sealed, purpose(personId), settings().secrets);
  if (!text) return undefined;
  const told = JSON.parse(text) as Told;
  if (told.id !== id || nowSeconds() - told.at > LIFE_SECONDS) return undefined;
  return (await claimForm(sealed)) ? told.about : undefined;
}
