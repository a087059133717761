import type { Metadata } from 'next';
import { HostedPage } from './_components/hosted-page.tsx';

export const metadata: Metadata = { title: 'There is no such page' };

export default function NotFound() {
  return (
    <HostedPage>
      <h1>There is no such page</h1>
      <p className="lead">The address is mistyped, or what was here is gone.</p>
      <p className="actions">
        <a className="button" href="/">
          Go to the start page
        </a>
      </p>
    </HostedPage>
  );
}
