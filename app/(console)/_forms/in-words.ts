import { isMessage, type Key, type Words } from '#lib/language/index.ts';
import type { Refused } from '#lib/management/index.ts';
import type { Fault } from '#lib/registry/index.ts';
import type { Shown } from '../_ui/shown-once.tsx';
import { inLabels, type Labels } from './labels.ts';

type Said = { message?: string | null; faults?: Record<string, string> };

/** What a form's answer says, in the language of its page. */
export function inWords<Answer extends Said>({ said }: Pick<Words, 'said'>, answer: Answer): Answer {
  const { message, faults } = answer;
  return {
    ...answer,
    ...(typeof message === 'string' && { message: said(message) }),
    ...(faults && {
      faults: Object.fromEntries(Object.entries(faults).map(([field, fault]) => [field, said(fault)])),
    }),
  };
}

/** A secret that is shown once: what is said of it. */
export const shownInWords = ({ said }: Pick<Words, 'said'>, shown: Shown): Shown => ({
  ...shown,
  heading: said(shown.heading),
  message: said(shown.message),
  values: shown.values.map(([name, value]) => [said(name), value]),
  next: { ...shown.next, label: said(shown.next.label) },
});

/** English texts are kept as parts of a sentence, for the command line. */
const isTranslated = ({ language }: Words, code: string): code is Key => language !== 'en' && isMessage(code);

/** Why an operation was refused, in the language of the page; consoles of developers and administrators (null) are English. */
export function refusedInWords(words: Words | null, { code, values, message }: Refused): string {
  return words && isTranslated(words, code) ? words.told({ code, values }) : sentence(message);
}

/** What is wrong with a field, beside the field. */
export function faultInWords(words: Words | null, fault: Fault, labels: Labels): string {
  const { code, values } = fault;
  if (words && isTranslated(words, code)) return words.told({ code, ...(values && { values }) });
  return sentence(inLabels(fault, labels));
}

/** Messages of the core begin in lower case, for the command line. A message that begins with an address stays as it is. */
export function sentence(message: string): string {
  const first = /^\p{L}+(?![^\s,.:;’'])/u.test(message)
    ? message.charAt(0).toUpperCase() + message.slice(1)
    : message;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
