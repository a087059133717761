import { Asker } from '#app/_components/asker.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { OwnText } from '#app/_components/own-text.tsx';
import { RegisterFields } from '#app/_components/register-fields.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Words } from '#lib/language/words.ts';
import type { RegisterView } from '#lib/oauth/hosted/register-view.ts';
import { Invited } from './invited.tsx';

export const REGISTER_HEADINGS = {
  address: 'sign_in.create',
  code: 'register.code_heading',
  link: 'register.link_heading',
  password: 'register.password_heading',
} as const;

type RegisterPageProps = {
  view: RegisterView;
  requestId: string;
  frame: HostedFrame;
  /** where its form goes; a preview has no such place */
  submitTo?: string;
};

export function RegisterPage({ view, requestId, frame, submitTo = '/register/submit' }: RegisterPageProps) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;
  if (view.kind === 'invited') return <Invited view={view} frame={frame} />;
  if (view.kind !== 'ready')
    return (
      <HostedPage frame={frame}>
        <h1>{t(view.heading)}</h1>
        <p className="lead">{t(view.message)}</p>
        {view.kind === 'ended' && (
          <p className="actions">
            <a className="button" href={view.href}>
              {t(view.label)}
            </a>
          </p>
        )}
      </HostedPage>
    );

  const { client, api, alert, step } = view;
  return (
    <HostedPage frame={frame}>
      <Asker client={client} api={api} words={words} />
      <h1>{t(REGISTER_HEADINGS[step])}</h1>
      {step === 'address' && <OwnText text={words.line('registration_lead')} />}
      <p className="lead">
        <Lead view={view} words={words} />
      </p>
      {step === 'code' && view.notice !== null && (
        <p className="notice" role="status">
          {t(view.notice)}
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {sentence(alert)}
        </p>
      )}
      <form method="post" action={submitTo} className="stack">
        <input type="hidden" name="interaction" value={view.interaction} />
        <input type="hidden" name="anti_forgery" value={view.antiForgery} />
        <RegisterFields view={view} words={words} />
      </form>
    </HostedPage>
  );
}

type LeadProps = { view: Extract<RegisterView, { kind: 'ready' }>; words: Words };

function Lead({ view, words: { t, parts } }: LeadProps) {
  const email = <Name>{view.email}</Name>;
  if (view.step === 'address') return <>{t(view.approval ? 'register.approval_lead' : 'register.lead')}</>;
  if (view.step === 'link') return <Sentence parts={parts('register.link_lead', { email })} />;
  if (view.step === 'password') return <Sentence parts={parts('register.password_lead', { email })} />;
  return <Sentence parts={parts('register.code_lead', { email })} />;
}
