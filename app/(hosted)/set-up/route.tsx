import type { ReactNode } from 'react';
import { HostedPage } from '#app/_components/frame.tsx';
import { Asker, BoundTo, Onward, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert, CodeField, PasskeyButton, PasskeyForm, TotpSecret } from '#app/_components/sign-in-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { type SetUpView, viewSetUp } from '#lib/oauth/pages/second-step.ts';

export const dynamic = 'force-dynamic';

const ACTION = '/set-up/submit';

export const GET = htmlPage(SetUpPage, { personal: true });

type Ready = Extract<SetUpView, { kind: 'ready' }>;

async function SetUpPage({ query, cookie, frameFor }: Visit) {
  const view = await viewSetUp({ interaction: query('interaction'), cookie });
  const scripts = view.kind === 'ready' ? [PASSKEY_SCRIPT] : undefined;
  const frame = frameFor({ title: 'factor.set_up', view, scripts });
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, offer, passkey, totp, later } = view;
  const bindings = <BoundTo {...view} />;
  // also in the form of the passkey, so that the page after a rejected passkey shows the same secret
  const pending = totp && <input type="hidden" name="pending" value={totp.sealed} />;
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('factor.set_up')}</h1>
      <p className="lead">
        {t(offer ? 'factor.offer' : 'factor.needed')}{' '}
        <Sentence parts={words.parts('factor.for_whom', { person: <Name>{label}</Name> })} />
      </p>
      <Alert message={alert && sentence(alert)} />
      <PasskeyForm kind="create" action={ACTION} asked={passkey} words={words}>
        {bindings}
        {pending}
        <h2 className="part">{t('factor.passkey')}</h2>
        <p className="soft">{t('factor.passkey_hint')}</p>
        <PasskeyButton>{t('factor.use_passkey')}</PasskeyButton>
      </PasskeyForm>
      {totp === null && (
        <noscript>
          <p className="note">{t('factor.passkey_needs_script')}</p>
        </noscript>
      )}
      {totp !== null && (
        <Authenticator totp={totp} wrong={alert !== null} words={words}>
          {bindings}
          {pending}
        </Authenticator>
      )}
      <form method="post" action={ACTION} className="ways">
        {bindings}
        {later !== null && (
          <button type="submit" name="later" value="1" className="button plain">
            {t('factor.later')}
          </button>
        )}
        <button type="submit" name="cancel" value="1" className="button quiet">
          {t('frame.cancel')}
        </button>
      </form>
      {later?.until && (
        <p className="note">
          <Sentence
            parts={words.parts('factor.wait_until', { day: <Day of={later.until} words={words} /> })}
          />
        </p>
      )}
    </HostedPage>
  );
}

type AuthenticatorProps = {
  totp: NonNullable<Ready['totp']>;
  wrong: boolean;
  words: Words;
  /** hidden fields */
  children: ReactNode;
};

/** Shows the secret of an authenticator app as QR code and text. */
function Authenticator({ totp, wrong, words, children }: AuthenticatorProps) {
  const { t } = words;
  return (
    <form method="post" action={ACTION} className="stack">
      {children}
      <h2 className="part">{t('factor.app')}</h2>
      <TotpSecret {...totp} lead={t('factor.app_hint')} words={words} />
      <CodeField kind="app" label={t('frame.code')} wrong={wrong} />
      <button type="submit" className="button">
        {t('frame.continue')}
      </button>
    </form>
  );
}

/** Shows the date in UTC. English pages use the same date format as the console. */
function Day({ of: date, words: { language } }: { of: Date; words: Words }) {
  const dateText = date.toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return <time dateTime={date.toISOString()}>{dateText}</time>;
}
