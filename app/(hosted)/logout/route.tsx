import { HostedPage } from '#app/_components/hosted-page.tsx';
import { htmlPage } from '#app/_html/html-page.ts';
import { type LogoutView, viewLogout } from '#lib/oauth/index.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie }) => {
    const view = await viewLogout({ interaction: query('interaction'), cookie });
    const { sessions, interaction } = view;
    const nothing = sessions.length === 0 && interaction === null;
    const content = nothing ? <SignedOut now={query('done') === '1'} /> : <SignOutPage view={view} />;
    return { title: 'Sign out', content };
  },
  { personal: true },
);

function SignOutPage({ view: { sessions, antiForgery, interaction } }: { view: LogoutView }) {
  return (
    <HostedPage>
      <h1>Sign out</h1>
      <p className="lead">{leadOf(sessions.length, interaction !== null)}</p>
      {sessions.length > 0 && (
        <ul className="sessions">
          {sessions.map(({ method, label }) => (
            <li key={`${method} ${label}`}>
              <bdi>{label}</bdi>
              <span>{method}</span>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/logout/submit" className="stack">
        <input type="hidden" name="anti_forgery" value={antiForgery} />
        {interaction !== null && <input type="hidden" name="interaction" value={interaction} />}
        <button type="submit" className="button">
          Sign out
        </button>
      </form>
      <p className="note">{STAYING}</p>
    </HostedPage>
  );
}

const STAYING =
  'Applications that want to know are told. Others stay signed in until you sign out there, too.';

function leadOf(sessions: number, asked: boolean): string {
  if (!asked) return 'This ends every sign-in of this browser:';
  return sessions > 0
    ? 'An application asks to sign you out here. This ends:'
    : 'An application asks to sign you out here. Nobody is signed in.';
}

function SignedOut({ now }: { now: boolean }) {
  return (
    <HostedPage>
      <h1>{now ? 'You are signed out' : 'Nobody is signed in'}</h1>
      <p className="lead">
        {now ? `No sign-in is left in this browser. ${STAYING}` : 'There is nothing to end in this browser.'}
      </p>
    </HostedPage>
  );
}
