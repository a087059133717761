'use client';

import { HostedPage, Reference } from './_components/frame.tsx';

export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return (
    <HostedPage>
      <h1>Something went wrong here</h1>
      <p className="lead">It is our fault, not yours. Wait a moment, then load this page again.</p>
      {error.digest && <Reference name="Error id" id={error.digest} />}
    </HostedPage>
  );
}
