import { ApiAddresses } from '#app/_components/api-addresses.tsx';
import { Asker } from '#app/_components/asker.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { OwnText } from '#app/_components/own-text.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { SignInFields } from '#app/_components/sign-in-fields.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { SignInView } from '#lib/oauth/hosted/views.ts';

type Props = {
  view: SignInView;
  requestId: string;
  frame: HostedFrame;
  /** where its form goes; a preview has no such place */
  submitTo?: string;
};

/** Who asks, and the form of the person's proofs. */
export function SignInPage({ view, requestId, frame, submitTo = '/login/submit' }: Props) {
  const { words } = frame;
  const { t, sentence, line } = words;
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;
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
  const proofs = (
    <>
      <input type="hidden" name="interaction" value={view.interaction} />
      <input type="hidden" name="anti_forgery" value={view.antiForgery} />
    </>
  );
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
      <form method="post" action={submitTo} className="stack">
        {proofs}
        <SignInFields
          words={words}
          names={names}
          username={username}
          wrong={alert !== null}
          forgotten={forgotten}
          passkeys={passkey !== null}
        />
        <button type="submit" className="button">
          {t('sign_in.heading')}
        </button>
        {passkey && <PasskeyButton form="passkey">{t('factor.use_passkey')}</PasskeyButton>}
        <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
          {t('frame.cancel')}
        </button>
      </form>
      {register !== null && (
        <p className="note">
          {t('sign_in.new_here')} <a href={register}>{t('sign_in.create')}</a>
        </p>
      )}
      <OwnText text={line('sign_in_help')} />
      <ApiAddresses api={client} words={words} />
      <ApiAddresses api={api} words={words} />
      {passkey && (
        <PasskeyForm
          id="passkey"
          kind="get"
          action="/login/passkey"
          asked={passkey}
          words={words}
          conditional
        >
          {proofs}
        </PasskeyForm>
      )}
    </HostedPage>
  );
}
