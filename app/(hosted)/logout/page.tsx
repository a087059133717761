import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import { logoutView } from '../_views.ts';

export const metadata: Metadata = { title: 'Sign out' };

export default async function SignOutPage({ searchParams }: { searchParams: SearchParams }) {
  const { done } = await readQuery(searchParams);
  const sent = await headers();
  const { sessions, antiForgery } = await logoutView.take(sent.get('x-request-id') ?? '', {
    cookie: sent.get('cookie') ?? undefined,
  });
  if (sessions.length === 0) return <SignedOut now={done === '1'} />;
  return (
    <HostedPage>
      <h1>Sign out?</h1>
      <p className="lead">This ends every sign-in of this browser:</p>
      <ul className="sessions">
        {sessions.map(({ method, label }) => (
          <li key={`${method} ${label}`}>
            <bdi>{label}</bdi>
            <span>{method}</span>
          </li>
        ))}
      </ul>
      <form method="post" action="/logout/submit" className="stack">
        <input type="hidden" name="anti_forgery" value={antiForgery} />
        <button type="submit" className="button">
          Sign out
        </button>
      </form>
      <p className="note">Applications that you use stay signed in until you sign out there, too.</p>
    </HostedPage>
  );
}

function SignedOut({ now }: { now: boolean }) {
  return (
    <HostedPage>
      <h1>{now ? 'You are signed out' : 'Nobody is signed in'}</h1>
      <p className="lead">
        {now
          ? 'No sign-in is left in this browser. Applications that you use stay signed in until you sign out there, too.'
          : 'There is nothing to end in this browser.'}
      </p>
    </HostedPage>
  );
}
