import type { Metadata } from 'next';
import type { ReactNode } from 'react';

export const metadata: Metadata = { title: { default: 'Console', template: '%s · Gatehouse' } };

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <link rel="stylesheet" href="/console.css?v=16" precedence="default" />
      {children}
    </>
  );
}
