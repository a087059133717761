// What the console shows after only the first step: the second one, or how to set one up, and nothing else.
import Script from 'next/script';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { type Words, wordsOf } from '#lib/language/index.ts';
import { graceOf, viewNewFactor, viewSecondStep } from '#lib/management/index.ts';
import type { UnfinishedSignIn } from '#lib/sessions/index.ts';
import type { Draft } from '../_forms/draft.ts';
import { frameOf, translatedWords } from '../_ui/page-language.ts';
import { TotpSecret } from '../_ui/totp-secret.tsx';
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
type StepProps = SecondStepProps & { words: Words; translated: Words | null };

export async function SecondStep(props: SecondStepProps) {
  const translated = await translatedWords();
  const words = translated ?? wordsOf('en');
  const leave = await startForm('account', 'confirm-cancel', props.cookie, props.draft, translated);
  const step = { ...props, words, translated };
  return (
    <HostedPage {...(translated && { frame: frameOf(translated, props.query) })}>
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

const TAKES = {
  app: 'step.takes',
  'app or recovery code': 'step.takes_either',
  'recovery code': 'step.recovery_takes',
} as const;

async function Confirm({ who, to, draft, cookie, words, translated }: StepProps) {
  const { t } = words;
  const [{ code, passkey }, byCode, byPasskey] = await Promise.all([
    viewSecondStep(who),
    startForm('account', 'confirm-code', cookie, draft, translated),
    startForm('account', 'confirm-passkey', cookie, draft, translated),
  ]);
  return (
    <>
      <h1>{t('factor.confirm')}</h1>
      <Whose who={who} words={words} />
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message} />
      {code && (
        <form method="post" action={byCode.action} className="stack">
          <Hidden start={byCode} to={to} />
          <CodeField label={t('frame.code')} hint={t(TAKES[code])} wrong={byCode.message !== null} focus />
          <button type="submit" className="button">
            {t('my.again_go')}
          </button>
        </form>
      )}
      {passkey && (
        <PasskeyForm kind="get" action={byPasskey.action} asked={passkey} words={words}>
          <Hidden start={byPasskey} to={to} />
          <PasskeyButton tone={code ? 'button plain' : 'button'}>{t('factor.use_passkey')}</PasskeyButton>
        </PasskeyForm>
      )}
      {passkey && (
        <noscript>
          <p className="note">{t('factor.your_passkey_needs_script')}</p>
        </noscript>
      )}
      {!code && !passkey && <p className="alert">{t('step.nothing_left')}</p>}
    </>
  );
}

async function SetUp({ who, to, draft, cookie, words, translated }: StepProps) {
  const { t } = words;
  const [{ totp, passkey }, byCode, byPasskey, later] = await Promise.all([
    viewNewFactor(who),
    startForm('account', 'set-up-app', cookie, draft, translated),
    startForm('account', 'set-up-passkey', cookie, draft, translated),
    startForm('account', 'set-up-later', cookie, draft, translated),
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
          <TotpSecret svg={totp.svg} spelled={totp.spelled} />
          <CodeField label={t('frame.code')} hint={t('security.code_hint')} wrong={byCode.message !== null} />
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

function Whose({ who, words: { t } }: { who: UnfinishedSignIn; words: Words }) {
  return (
    <p className="lead">
      <Name>{who.email ?? (who.name || t('my.heading'))}</Name>
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

type CodeFieldProps = { label: string; hint: string; wrong: boolean; focus?: boolean };

function CodeField({ label, hint, wrong, focus = false }: CodeFieldProps) {
  return (
    <>
      <label className="field">
        <span>{label}</span>
        <input
          name="code"
          dir="ltr"
          autoComplete="one-time-code"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for
          autoFocus={focus}
          required
          aria-describedby={wrong ? 'alert code-hint' : 'code-hint'}
          {...(wrong ? { 'aria-invalid': true } : {})}
        />
      </label>
      <p className="soft" id="code-hint">
        {hint}
      </p>
    </>
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
