import type { Words } from '#lib/language/index.ts';
import type { Shown } from '../_ui/shown-once.tsx';

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
