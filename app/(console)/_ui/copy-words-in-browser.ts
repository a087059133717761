'use client';

import { useSay } from '../_texts/in-browser.tsx';

/** What buttons of a component that runs in the browser say, each copies what its label names. */
export function useCopyWords() {
  const say = useSay();
  return (label: string) => ({
    copy: say('Copy'),
    name: say('Copy {what}', { what: label }),
    copied: say('Copied'),
  });
}
