import type { ReactNode } from 'react';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { LanguageChooser } from './language-chooser.tsx';
import { Mark } from './mark.tsx';
import { ThemeChooser } from './theme-chooser.tsx';

/**
 * One card in the middle of the page: sign-in, consent, sign-out and errors. `frame`: for pages in several languages.
 */
export function HostedPage({ frame, children }: { frame?: HostedFrame; children: ReactNode }) {
  return (
    <div className="hosted">
      <main className="card">{children}</main>
      <footer className="hosted-footer">
        <Mark />
        <span>{frame ? <bdi>{frame.serviceName}</bdi> : 'Gatehouse'}</span>
        {frame && <LanguageChooser {...frame} />}
        {frame && <ThemeChooser {...frame} />}
      </footer>
    </div>
  );
}
