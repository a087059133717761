// Hosted pages for sign-in and registration. Consent has a separate file, because the consent page shows no custom
// texts of operators.
import { type HostedFrame, HostedPage } from '#app/_components/frame.tsx';
import { Asker, BoundTo, postTo, Unusable } from '#app/_components/hosted-parts.tsx';
import { ApiAddresses, Name, OwnText, Sentence } from '#app/_components/pieces.tsx';
import {
  Alert,
  Go,
  PasskeySignIn,
  PasswordFields,
  PasswordForm,
  RegisterFields,
} from '#app/_components/sign-in-parts.tsx';
import type { Words } from '#lib/language/words.ts';
import type { RegisterView } from '#lib/oauth/pages/register.ts';
import type { SignInView } from '#lib/oauth/pages/sign-in.ts';

type SignInPageProps = {
  view: SignInView;
  frame: HostedFrame;
  /** the address that the form posts to; missing in a preview */
  submitTo?: string;
};

/** Sign-in page: the client, and the form of the sign-in method. */
export function SignInPage({ view, frame, submitTo = '/login/submit' }: SignInPageProps) {
  const { words } = frame;
  const { t, sentence, line } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
  if (view.kind === 'elsewhere') {
    return (
      <HostedPage frame={frame}>
        <h1>{t(view.heading)}</h1>
        <p className="lead">{t(view.message)}</p>
      </HostedPage>
    );
  }

  const { client, api, method, names, username, notice, alert, changeAt, forgotten, register, passkey } =
    view;
  return (
    <HostedPage frame={frame}>
      <Asker client={client} api={api} words={words} />
      <h1>{t('sign_in.heading')}</h1>
      <OwnText text={line('sign_in_lead')} />
      <p className="lead">
        <Name words={words}>{method.name}</Name>
      </p>
      {notice !== null && (
        <p className="notice" role="status">
          {t(notice)}
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {sentence(alert)} {changeAt !== null && <a href={changeAt}>{t('sign_in.change_password')}</a>}
        </p>
      )}
      <PasswordForm
        post={postTo(submitTo, view)}
        {...{ names, username, forgotten, passkey, words }}
        wrong={view.wrong}
      >
        <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
          {t('frame.cancel')}
        </button>
      </PasswordForm>
      {register !== null && (
        <p className="note">
          {t('sign_in.new_here')} <a href={register}>{t('sign_in.create')}</a>
        </p>
      )}
      <OwnText text={line('sign_in_help')} />
      <ApiAddresses api={client} words={words} />
      <ApiAddresses api={api} words={words} />
      <PasskeySignIn post={postTo('/login/passkey', view)} passkey={passkey} words={words} />
    </HostedPage>
  );
}

type InvitedProps = { view: Extract<RegisterView, { kind: 'invited' }>; frame: HostedFrame };

/** The page that an invitation link opens. */
export function Invited({ view, frame }: InvitedProps) {
  const { t, sentence, parts } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{t('sign_in.create')}</h1>
      <p className="lead">
        <Sentence parts={parts('register.invited_lead', { email: <Name>{view.email}</Name> })} />
      </p>
      <Alert message={view.alert && sentence(view.alert)} />
      <form method="post" action="/register/submit" className="stack">
        <input type="hidden" name="invitation" value={view.invitation} />
        <PasswordFields view={view} wrong={view.alert !== null} words={frame.words} />
        <Go>{t('register.create')}</Go>
      </form>
    </HostedPage>
  );
}

export const REGISTER_HEADINGS = {
  address: 'sign_in.create',
  code: 'register.code_heading',
  link: 'register.link_heading',
  password: 'register.password_heading',
} as const;

type RegisterPageProps = {
  view: RegisterView;
  frame: HostedFrame;
  /** the address that the form posts to; missing in a preview */
  submitTo?: string;
};

export function RegisterPage({ view, frame, submitTo = '/register/submit' }: RegisterPageProps) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
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
      <Alert message={alert && sentence(alert)} />
      <form method="post" action={submitTo} className="stack">
        <BoundTo {...view} />
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
