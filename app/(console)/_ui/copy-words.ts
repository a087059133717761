import { say } from '../_texts/say.tsx';

/** What the button says that copies this. */
export const copyWords = (label: string) => ({
  copy: say('Copy'),
  name: say('Copy {what}', { what: label }),
  copied: say('Copied'),
});
