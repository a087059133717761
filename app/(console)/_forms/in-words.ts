import { asSentence } from '#lib/language/message.ts';
import { isTooMany, tooMany } from '#lib/language/too-many.ts';
import { isMessage } from '#lib/language/words.ts';
import { textOfRefusal } from '#lib/management/core/refusals/codes.ts';
import type { Refused } from '#lib/management/core/refused.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import { faultSentence } from '../_texts/fault-sentences.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { inLabels, type Labels, withLabels, withoutName } from './labels.ts';
import type { Problem } from './told-once.ts';

/** Why an operation was refused, in the language of the page. */
export function refusedInWords(words: PageWords | null, refused: Refused): string {
  const { code, values, retryAfterSeconds } = refused;
  if (words && retryAfterSeconds !== null && isTooMany(code))
    return words.sentence(tooMany(code, retryAfterSeconds));
  if (words && isMessage(refused)) return words.sentence(refused);
  if (words === null || words.language === 'en') return asSentence(refused.message);
  return words.say(textOfRefusal(code), values);
}

/** Why something was not done, as a sentence after what it is about. */
export function problemInWords({ told }: PageWords, { of, why }: Problem): string {
  const text = told(why);
  const whole = /[.!?。]$/.test(text) ? text : `${text}.`;
  return of === undefined ? whole : `${of}: ${whole}`;
}

/** What is wrong with a field, beside the field. In English it names other fields as the page does. */
export function faultInWords(words: PageWords | null, fault: Fault, labels: Labels): string {
  const english = asSentence(inLabels(fault, labels));
  if (words === null || words.language === 'en') return english;
  if (isMessage(fault)) return words.sentence(fault);
  return faultSentence(words, withLabels(withoutName(fault), labels, words.say)) ?? english;
}
