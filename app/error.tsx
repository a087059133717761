'use client';

import { HostedPage } from './_components/hosted-page.tsx';

export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return (
    <HostedPage>
      <h1>Something went wrong here</h1>
      <p className="lead">It is our fault, not yours. Wait a moment, then load this page again.</p>
      {error.digest && (
        <dl className="facts">
          <div>
            <dt>Error id</dt>
            <dd>
              <code>{error.digest}</code>
            </dd>
          </div>
        </dl>
      )}
    </HostedPage>
  );
}
