import { Fragment, type ReactNode } from 'react';

/** A message whose arguments are elements: `words.parts(…)`. */
export function Sentence({ parts }: { parts: readonly ReactNode[] }) {
  return (
    <>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move
        <Fragment key={at}>{part}</Fragment>
      ))}
    </>
  );
}
