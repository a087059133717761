// What the console shows to somebody who has made the first step alone: the second one, or how to set one up, and nothing else.
import Script from 'next/script';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { graceOf, viewNewFactor, viewSecondStep } from '#lib/management/index.ts';
import type { UnfinishedSignIn } from '#lib/sessions/index.ts';
import type { Draft } from '../_forms/draft.ts';
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
};

export async function SecondStep(props: SecondStepProps) {
  const leave = await startForm('account', 'confirm-cancel', props.cookie, props.draft);
  return (
    <HostedPage>
      <Notice done={props.done} />
      {props.who.owes === 'confirm' ? <Confirm {...props} /> : <SetUp {...props} />}
      <form method="post" action={leave.action} className="stack">
        <Hidden start={leave} to={props.to} />
        <button type="submit" className="button quiet">
          Sign out
        </button>
      </form>
      <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
    </HostedPage>
  );
}

const TAKES = {
  app: 'The six digits that your authenticator app shows now.',
  'app or recovery code':
    'The six digits that your authenticator app shows now, or one of your recovery codes.',
  'recovery code': 'One of your recovery codes. Each works once.',
};

async function Confirm({ who, to, draft, cookie }: SecondStepProps) {
  const [{ code, passkey }, byCode, byPasskey] = await Promise.all([
    viewSecondStep(who),
    startForm('account', 'confirm-code', cookie, draft),
    startForm('account', 'confirm-passkey', cookie, draft),
  ]);
  return (
    <>
      <h1>Confirm it is you</h1>
      <Whose who={who} />
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message} />
      {code && (
        <form method="post" action={byCode.action} className="stack">
          <Hidden start={byCode} to={to} />
          <CodeField hint={TAKES[code]} wrong={byCode.message !== null} focus />
          <button type="submit" className="button">
            Go on
          </button>
        </form>
      )}
      {passkey && (
        <PasskeyForm kind="get" action={byPasskey.action} asked={passkey}>
          <Hidden start={byPasskey} to={to} />
          <PasskeyButton tone={code ? 'button plain' : 'button'} />
        </PasskeyForm>
      )}
      {passkey && (
        <noscript>
          <p className="note">Your passkey needs a script, and this browser runs none.</p>
        </noscript>
      )}
      {!code && !passkey && (
        <p className="alert">
          There is nothing left here that you can prove it with. Ask an administrator to reset your second
          step.
        </p>
      )}
    </>
  );
}

async function SetUp({ who, to, draft, cookie }: SecondStepProps) {
  const [{ totp, passkey }, byCode, byPasskey, later] = await Promise.all([
    viewNewFactor(who),
    startForm('account', 'set-up-app', cookie, draft),
    startForm('account', 'set-up-passkey', cookie, draft),
    startForm('account', 'set-up-later', cookie, draft),
  ]);
  const days = graceOf(who);
  return (
    <>
      <h1>Set up a second step</h1>
      <Whose who={who} />
      <p>Who decides or runs things here proves it with more than a password.</p>
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message ?? later.message} />
      {passkey && (
        <PasskeyForm kind="create" action={byPasskey.action} asked={passkey}>
          <Hidden start={byPasskey} to={to} />
          <PasskeyButton tone="button">Add a passkey</PasskeyButton>
        </PasskeyForm>
      )}
      {totp && (
        <form method="post" action={byCode.action} className="stack">
          <Hidden start={byCode} to={to} />
          <input type="hidden" name="sealed" value={totp.sealed} />
          <TotpSecret svg={totp.svg} spelled={totp.spelled} />
          <CodeField hint="The six digits that it shows then." wrong={byCode.message !== null} />
          <button type="submit" className="button plain">
            Set up the app
          </button>
        </form>
      )}
      {days !== null && (
        <form method="post" action={later.action} className="stack">
          <Hidden start={later} to={to} />
          <button type="submit" className="button quiet">
            Later: within {days} {days === 1 ? 'day' : 'days'}
          </button>
        </form>
      )}
    </>
  );
}

function Whose({ who }: { who: UnfinishedSignIn }) {
  return (
    <p className="lead">
      <Name>{who.email ?? (who.name || 'Your account')}</Name>
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

function CodeField({ hint, wrong, focus = false }: { hint: string; wrong: boolean; focus?: boolean }) {
  return (
    <>
      <label className="field">
        <span>Code</span>
        <input
          name="code"
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
