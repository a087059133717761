import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { Go, PasswordFields } from '#app/_components/register-fields.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { RegisterView } from '#lib/oauth/hosted/register-view.ts';

type InvitedProps = { view: Extract<RegisterView, { kind: 'invited' }>; frame: HostedFrame };

/** What the link of an invitation opens. */
export function Invited({ view, frame }: InvitedProps) {
  const { t, sentence, parts } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{t('sign_in.create')}</h1>
      <p className="lead">
        <Sentence parts={parts('register.invited_lead', { email: <Name>{view.email}</Name> })} />
      </p>
      {view.alert !== null && (
        <p className="alert" role="alert" id="alert">
          {sentence(view.alert)}
        </p>
      )}
      <form method="post" action="/register/submit" className="stack">
        <input type="hidden" name="invitation" value={view.invitation} />
        <PasswordFields view={view} wrong={view.alert !== null} words={frame.words} />
        <Go>{t('register.create')}</Go>
      </form>
    </HostedPage>
  );
}
