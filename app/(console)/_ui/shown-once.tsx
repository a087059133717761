'use client';

import { useEffect, useRef } from 'react';
import { CopyButton } from '#app/_components/copy-button.tsx';

/**
 * In a form's answer, and stored nowhere: a secret that is shown once, or (`copied: false`) what became of many things.
 */
export type Shown = {
  heading: string;
  message: string;
  values: [name: string, value: string][];
  copied?: false;
  next: { href: string; label: string };
};

export function ShownOnce({ shown }: { shown: Shown }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <div className="shown-once" ref={panel} tabIndex={-1} role="status">
      <h3>{shown.heading}</h3>
      <p>{shown.message}</p>
      <dl className="addresses">
        {shown.values.map(([name, value], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a name may come twice
          <div key={at}>
            {shown.copied === false ? (
              <>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>{value}</dd>
              </>
            ) : (
              <>
                <dt>{name}</dt>
                <dd className="copy">
                  <code>{value}</code>
                  <CopyButton text={value} label={name} />
                </dd>
              </>
            )}
          </div>
        ))}
      </dl>
      <p>
        <a className="button" href={shown.next.href}>
          {shown.next.label}
        </a>
      </p>
    </div>
  );
}
