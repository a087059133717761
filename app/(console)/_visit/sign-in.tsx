// The sign-in form of the console: the local method, and at /account every method.
import Script from 'next/script';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { SignInFields } from '#app/_components/sign-in-fields.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { askConsolePasskey, type ConsoleMethod, listConsoleMethods } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import type { Draft } from '../_forms/draft.ts';
import { withQuery } from '../_ui/with-query.ts';
import { FormValues } from './form-values.ts';
import { Notice } from './notice.tsx';
import { type FormStart, startForm } from './start-form.ts';

type SignInProps = {
  /** every method, or only the local ones: roles belong to local sign-ins */
  choice: boolean;
  /** the page to show afterwards */
  to: string;
  query: Record<string, string>;
  draft: Draft | null;
  cookie: string | undefined;
  lead: string;
};

export async function SignIn({ choice, to, query, draft, cookie, lead }: SignInProps) {
  const methods = (await listConsoleMethods()).filter((method) => choice || method.type === 'local');
  const values = new FormValues(draft);
  const asked = methods.find((method) => method.id === values.one('authMethodId', query['method']));
  const chosen = asked ?? methods.find((method) => method.type === 'local') ?? methods[0];
  const here = await startForm('account', 'sign-in', cookie, draft);
  const passkey = chosen ? await askConsolePasskey(chosen.id, cookie) : null;
  const byPasskey = await startForm('account', 'passkey-sign-in', cookie, draft);
  const elsewhere = await startForm('account', 'sign-in-elsewhere', cookie, draft);
  return (
    <HostedPage>
      <Notice done={query['done']} />
      <h1>Sign in</h1>
      <p className="lead">{lead}</p>
      {chosen ? (
        <Method
          method={chosen}
          username={values.one('username')}
          {...{ to, here, elsewhere, passkey, byPasskey }}
          alone={methods.length === 1}
        />
      ) : (
        <p className="alert">Nobody can sign in here yet: there is no sign-in method.</p>
      )}
      <Others methods={methods.filter((method) => method !== chosen)} {...{ to, elsewhere }} />
    </HostedPage>
  );
}

type BrokerProps = { method: ConsoleMethod; to: string; elsewhere: FormStart };
type MethodProps = BrokerProps & {
  username: string;
  alone: boolean;
  here: FormStart;
  byPasskey: FormStart;
  passkey: { options: string; state: string } | null;
};

function Method({ method, to, username, alone, here, elsewhere, byPasskey, passkey }: MethodProps) {
  if (method.type === 'broker') return <Broker {...{ method, to, elsewhere }} tone="main" />;
  const local = method.type === 'local';
  const message = here.message ?? byPasskey.message ?? elsewhere.message;
  return (
    <>
      {!alone && (
        <h2 className="method">
          <Name>{method.name}</Name>
        </h2>
      )}
      {message && (
        <p className="alert" role="alert" id="alert">
          {message}
        </p>
      )}
      <form method="post" action={here.action} className="stack">
        <Hidden start={here} {...{ method, to }} />
        <SignInFields
          local={local}
          username={username}
          wrong={Boolean(here.message)}
          forgotten={local ? '/account/forgot-password' : null}
          passkeys={passkey !== null}
        />
        <button type="submit" className="button">
          Sign in
        </button>
        {passkey && <PasskeyButton form="passkey" />}
      </form>
      {passkey && (
        <PasskeyForm id="passkey" kind="get" action={byPasskey.action} asked={passkey} conditional>
          <Hidden start={byPasskey} {...{ method, to }} />
        </PasskeyForm>
      )}
      {passkey && <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />}
    </>
  );
}

type OthersProps = Omit<BrokerProps, 'method'> & { methods: ConsoleMethod[] };

function Others({ methods, to, elsewhere }: OthersProps) {
  if (methods.length === 0) return null;
  return (
    <div className="other-methods">
      <h2 className="unseen">Other ways to sign in</h2>
      {methods.map((method) =>
        method.type === 'broker' ? (
          <Broker key={method.id} {...{ method, to, elsewhere }} tone="plain" />
        ) : (
          <a
            key={method.id}
            className="button plain"
            href={withQuery(to.split('?')[0] ?? to, { method: method.id })}
          >
            Sign in with {plainText(method.name)}
          </a>
        ),
      )}
    </div>
  );
}

function Broker({ method, to, elsewhere, tone }: BrokerProps & { tone: 'main' | 'plain' }) {
  return (
    <form method="post" action={elsewhere.action} className="stack">
      <Hidden start={elsewhere} {...{ method, to }} />
      <button type="submit" className={tone === 'main' ? 'button' : 'button plain'}>
        Continue with {plainText(method.name)}
      </button>
    </form>
  );
}

function Hidden({ start, method, to }: { start: FormStart; method: ConsoleMethod; to: string }) {
  return (
    <>
      <input type="hidden" name="anti_forgery" value={start.token} />
      <input type="hidden" name="authMethodId" value={method.id} />
      <input type="hidden" name="to" value={to} />
    </>
  );
}
