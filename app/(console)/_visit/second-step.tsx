// What the console shows after only the first step: the second one, or how to set one up, and nothing else.
import Script from 'next/script';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import {
  CodeField,
  FIELD_OF_CODE,
  Neither,
  PasskeyProof,
  TotpSecret,
} from '#app/_components/second-factor.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { graceOf, viewNewFactor, viewSecondStep } from '#lib/management/account/second-step.ts';
import type { UnfinishedSignIn } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Draft } from '../_forms/draft.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { frameOf, visitWords } from '../_ui/page-language.ts';
import { Notice } from './notice.tsx';
import { type FormStart, startForm } from './start-form.ts';

type SecondStepProps = {
  who: UnfinishedSignIn;
  /** the page to show afterwards */
  to: string;
  draft: Draft | null;
  cookie: string | undefined;
  /** what the last form did: a new password ends in this step, too */
  done: string | undefined;
  query: Record<string, string>;
};
/** With the words of the page. */
type StepProps = SecondStepProps & { words: PageWords };

export async function SecondStep(props: SecondStepProps) {
  const words = await visitWords();
  const leave = await startForm('account', 'confirm-cancel', props.cookie, props.draft, words);
  const step = { ...props, words };
  return (
    <HostedPage frame={frameOf(words, props.query)}>
      <Notice done={props.done} told={words.told} />
      {props.who.owes === 'confirm' ? <Confirm {...step} /> : <SetUp {...step} />}
      <form method="post" action={leave.action} className="stack">
        <Hidden start={leave} to={props.to} />
        <button type="submit" className="button quiet">
          {words.t('sign_out.heading')}
        </button>
      </form>
      <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
    </HostedPage>
  );
}

async function Confirm({ who, to, draft, cookie, words }: StepProps) {
  const { t } = words;
  const [{ code, passkey }, byCode, byPasskey] = await Promise.all([
    viewSecondStep(who),
    startForm('account', 'confirm-code', cookie, draft, words),
    startForm('account', 'confirm-passkey', cookie, draft, words),
  ]);
  // a recovery code is for the loss of what the person has: it comes last
  const passkeyFirst = passkey !== null && code === 'recovery code';
  const proof = passkey && (
    <PasskeyProof action={byPasskey.action} asked={passkey} words={words} only={!code || passkeyFirst}>
      <Hidden start={byPasskey} to={to} />
    </PasskeyProof>
  );
  return (
    <>
      <h1>{t('factor.confirm')}</h1>
      <Whose who={who} words={words} />
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message} />
      {passkeyFirst && proof}
      {code && (
        <form method="post" action={byCode.action} className="stack">
          <Hidden start={byCode} to={to} />
          <CodeField
            kind={FIELD_OF_CODE[code].kind}
            label={t('frame.code')}
            hint={t(FIELD_OF_CODE[code].hint)}
            wrong={byCode.message !== null}
            focus={!passkeyFirst}
          />
          <button type="submit" className={passkeyFirst ? 'button plain' : 'button'}>
            {t('my.again_go')}
          </button>
        </form>
      )}
      {!passkeyFirst && proof}
      {!code && !passkey && <p className="alert">{t('step.nothing_left')}</p>}
      <Neither service={settings().serviceName} words={words} />
    </>
  );
}

async function SetUp({ who, to, draft, cookie, words }: StepProps) {
  const { t } = words;
  const [{ totp, passkey }, byCode, byPasskey, later] = await Promise.all([
    viewNewFactor(who),
    startForm('account', 'set-up-app', cookie, draft, words),
    startForm('account', 'set-up-passkey', cookie, draft, words),
    startForm('account', 'set-up-later', cookie, draft, words),
  ]);
  const days = graceOf(who);
  return (
    <>
      <h1>{t('factor.set_up')}</h1>
      <Whose who={who} words={words} />
      <p>{t('step.set_up_why')}</p>
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message ?? later.message} />
      {passkey && (
        <PasskeyForm kind="create" action={byPasskey.action} asked={passkey} words={words}>
          <Hidden start={byPasskey} to={to} />
          <PasskeyButton tone="button">{t('security.add_passkey')}</PasskeyButton>
        </PasskeyForm>
      )}
      {totp && (
        <form method="post" action={byCode.action} className="stack">
          <Hidden start={byCode} to={to} />
          <input type="hidden" name="sealed" value={totp.sealed} />
          <TotpSecret {...totp} lead={t('security.app_read')} words={words} />
          <CodeField
            kind="app"
            label={t('frame.code')}
            hint={t('security.code_hint')}
            wrong={byCode.message !== null}
          />
          <button type="submit" className="button plain">
            {t('security.app_set_up_it')}
          </button>
        </form>
      )}
      {days !== null && (
        <form method="post" action={later.action} className="stack">
          <Hidden start={later} to={to} />
          <button type="submit" className="button quiet">
            {t('step.later', { days })}
          </button>
        </form>
      )}
    </>
  );
}

function Whose({ who, words: { t } }: { who: UnfinishedSignIn; words: PageWords }) {
  return (
    <p className="lead">
      <Name>{who.email ?? (who.name || who.username || t('my.heading'))}</Name>
    </p>
  );
}

function Alert({ message }: { message: string | null }) {
  if (message === null) return null;
  return (
    <p className="alert" role="alert" id="alert">
      {message}
    </p>
  );
}

function Hidden({ start, to }: { start: FormStart; to: string }) {
  return (
    <>
      <input type="hidden" name="anti_forgery" value={start.token} />
      <input type="hidden" name="to" value={to} />
    </>
  );
}
