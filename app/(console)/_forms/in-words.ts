import type { Words } from '#lib/language/index.ts';

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
