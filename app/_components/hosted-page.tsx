// Frame of pages in several languages, the mark of the service, and the request id of a failure.
import type { ReactNode } from 'react';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { LanguageChooser, ThemeChooser } from './choosers.tsx';

/** The logo. Hidden from screen readers, because the name is next to it. */
export function Mark({ className = 'mark' }: { className?: string }) {
  return (
    <svg
      className={className}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M4 21V11a8 8 0 0 1 16 0v10M9 21v-9a3 3 0 0 1 6 0v9" />
    </svg>
  );
}

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

/** Shows an id that users can quote when they ask for help. */
export function Reference({ name, id }: { name: string; id: string }) {
  return (
    <dl className="facts">
      <div>
        <dt>{name}</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </div>
    </dl>
  );
}
