import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';

/** One card in the middle of the page: sign-in, consent, sign-out and errors. */
export function HostedPage({ children }: { children: ReactNode }) {
  return (
    <div className="hosted">
      <main className="card">{children}</main>
      <footer className="hosted-footer">
        <Mark />
        <span>Gatehouse</span>
      </footer>
    </div>
  );
}
