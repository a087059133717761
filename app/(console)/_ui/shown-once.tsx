'use client';

import { useEffect, useRef } from 'react';
import { CopyButton } from '#app/_components/copy-button.tsx';

/** A secret in a form's answer. It is shown once and stored nowhere. */
export type Shown = {
  heading: string;
  message: string;
  values: [name: string, value: string][];
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
        {shown.values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="copy">
              <code>{value}</code>
              <CopyButton text={value} label={name} />
            </dd>
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
