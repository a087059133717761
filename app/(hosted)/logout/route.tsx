import { type HostedFrame, HostedPage } from '#app/_components/frame.tsx';
import { Name } from '#app/_components/pieces.tsx';
import { htmlPage } from '#app/_html/html-page.ts';
import { type LogoutView, viewLogout } from '#lib/oauth/sign-out.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, frameFor }) => {
    const view = await viewLogout({ interaction: query('interaction'), cookie });
    const frame = frameFor({ title: 'sign_out.heading', style: view.style });
    const nothing = view.sessions.length === 0 && view.interaction === null;
    return nothing ? (
      <SignedOut now={query('done') === '1'} frame={frame} />
    ) : (
      <SignOutPage view={view} frame={frame} />
    );
  },
  { personal: true },
);

function SignOutPage({ view, frame }: { view: LogoutView; frame: HostedFrame }) {
  const { sessions, antiForgery, interaction } = view;
  const { words } = frame;
  const { t } = words;
  return (
    <HostedPage frame={frame}>
      <h1>{t('sign_out.heading')}</h1>
      <p className="lead">{t(leadOf(sessions.length, interaction !== null))}</p>
      {sessions.length > 0 && (
        <ul className="sessions">
          {sessions.map(({ method, label }) => (
            <li key={`${words.shown(method).text} ${label}`}>
              <bdi>{label}</bdi>
              <span>
                <Name words={words}>{method}</Name>
              </span>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/logout/submit" className="stack">
        <input type="hidden" name="anti_forgery" value={antiForgery} />
        {interaction !== null && <input type="hidden" name="interaction" value={interaction} />}
        <button type="submit" className="button">
          {t('sign_out.heading')}
        </button>
      </form>
      <p className="note">{t('sign_out.staying')}</p>
    </HostedPage>
  );
}

function leadOf(sessions: number, isRequested: boolean) {
  if (!isRequested) return 'sign_out.lead';
  return sessions > 0 ? 'sign_out.asked' : 'sign_out.asked_nobody';
}

function SignedOut({ now, frame }: { now: boolean; frame: HostedFrame }) {
  const { t } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{now ? t('sign_out.done') : t('sign_out.nobody')}</h1>
      <p className="lead">
        {now ? `${t('sign_out.done_lead')} ${t('sign_out.staying')}` : t('sign_out.nobody_lead')}
      </p>
    </HostedPage>
  );
}
