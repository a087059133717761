import { asSentence, isMessage, isTooMany, tooMany, type Words } from '#lib/language/index.ts';
import type { Refused } from '#lib/management/index.ts';
import type { Fault } from '#lib/registry/index.ts';
import { inLabels, type Labels } from './labels.ts';

/**
 * Why an operation was refused, in the language of the page; consoles of developers and administrators (null) are
 * English.
 */
export function refusedInWords(words: Words | null, refused: Refused): string {
  const { code, retryAfterSeconds } = refused;
  if (words && retryAfterSeconds !== null && isTooMany(code))
    return words.sentence(tooMany(code, retryAfterSeconds));
  return words && isMessage(refused) ? words.sentence(refused) : asSentence(refused.message);
}

/** What is wrong with a field, beside the field. In English it names other fields as the page does. */
export function faultInWords(words: Words | null, fault: Fault, labels: Labels): string {
  const isTranslated = words !== null && words.language !== 'en';
  return isTranslated && isMessage(fault) ? words.sentence(fault) : asSentence(inLabels(fault, labels));
}
