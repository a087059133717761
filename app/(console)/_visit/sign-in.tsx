// The sign-in form of the console: the local method, and at /account every method.
import Script from 'next/script';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { SignInFields } from '#app/_components/sign-in-fields.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import type { Words } from '#lib/language/words.ts';
import { askConsolePasskey } from '#lib/management/account/passkey-sign-in.ts';
import { type ConsoleMethod, listConsoleMethods } from '#lib/management/account/sign-in.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { Draft } from '../_forms/draft.ts';
import { frameOf, visitWords } from '../_ui/page-language.ts';
import { withQuery } from '../_ui/with-query.ts';
import { FormValues } from './form-values.ts';
import { MethodPicture } from './method-picture.tsx';
import { Notice } from './notice.tsx';
import { type FormStart, startForm } from './start-form.ts';

const isOurs = (method: ConsoleMethod) => methodCan(method, 'hasAccounts');

/** Takes the typed address along, in the draft of the refused sign-in. */
const forgottenAddress = (username: string, draft = '') =>
  withQuery('/account/forgot-password', { draft: username === '' ? '' : draft });

type SignInProps = {
  /** every method, or only those for accounts of ours: only these have roles */
  choice: boolean;
  /** the page to show afterwards */
  to: string;
  query: Record<string, string>;
  draft: Draft | null;
  cookie: string | undefined;
  lead: string;
};

export async function SignIn({ choice, to, query, draft, cookie, lead }: SignInProps) {
  const methods = (await listConsoleMethods()).filter((method) => choice || isOurs(method));
  const values = new FormValues(draft);
  const asked = methods.find((method) => method.id === values.one('authMethodId', query['method']));
  const chosen = asked ?? methods.find(isOurs) ?? methods[0];
  const words = await visitWords();
  const { t, told } = words;
  const here = await startForm('account', 'sign-in', cookie, draft, words);
  const passkey = chosen ? await askConsolePasskey(chosen.id, cookie) : null;
  const byPasskey = await startForm('account', 'passkey-sign-in', cookie, draft, words);
  const elsewhere = await startForm('account', 'sign-in-elsewhere', cookie, draft, words);
  return (
    <HostedPage frame={frameOf(words, query)}>
      <Notice done={query['done']} told={told} />
      <h1>{t('sign_in.heading')}</h1>
      <p className="lead">{lead}</p>
      {chosen ? (
        <Method
          method={chosen}
          username={values.one('username')}
          forgotten={forgottenAddress(values.one('username'), query['draft'])}
          {...{ to, here, elsewhere, passkey, byPasskey }}
          alone={methods.length === 1}
          words={words}
        />
      ) : (
        <p className="alert">{t('console.no_method')}</p>
      )}
      <Others methods={methods.filter((method) => method !== chosen)} {...{ to, elsewhere, words }} />
    </HostedPage>
  );
}

type BrokerProps = { method: ConsoleMethod; to: string; elsewhere: FormStart; words: Words };
type MethodProps = BrokerProps & {
  username: string;
  /** the page for a forgotten password */
  forgotten: string;
  alone: boolean;
  here: FormStart;
  byPasskey: FormStart;
  passkey: { options: string; state: string } | null;
};

function Method({ method, to, username, forgotten, alone, words, ...forms }: MethodProps) {
  const { here, elsewhere, byPasskey, passkey } = forms;
  if (methodCan(method, 'redirects')) return <Broker {...{ method, to, elsewhere, words }} tone="main" />;
  const { t } = words;
  const ours = isOurs(method);
  const message = here.message ?? byPasskey.message ?? elsewhere.message;
  return (
    <>
      {!alone && (
        <h2 className="method">
          <Name words={words}>{method.name}</Name>
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
          names={method.names}
          username={username}
          wrong={Boolean(here.message)}
          forgotten={ours ? forgotten : null}
          passkeys={passkey !== null}
          words={words}
        />
        <button type="submit" className="button">
          {t('sign_in.heading')}
        </button>
        {passkey && <PasskeyButton form="passkey">{t('factor.use_passkey')}</PasskeyButton>}
      </form>
      {passkey && (
        <PasskeyForm
          id="passkey"
          kind="get"
          action={byPasskey.action}
          asked={passkey}
          conditional
          words={words}
        >
          <Hidden start={byPasskey} {...{ method, to }} />
        </PasskeyForm>
      )}
      {passkey && <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />}
    </>
  );
}

type OthersProps = Omit<BrokerProps, 'method'> & { methods: ConsoleMethod[] };

function Others({ methods, to, elsewhere, words }: OthersProps) {
  const { t, shown } = words;
  if (methods.length === 0) return null;
  return (
    <div className="other-methods">
      <h2 className="unseen">{t('console.other_ways')}</h2>
      {methods.map((method) =>
        methodCan(method, 'redirects') ? (
          <Broker key={method.id} {...{ method, to, elsewhere, words }} tone="plain" />
        ) : (
          <a key={method.id} className="button plain" href={withQuery(to, { method: method.id })}>
            {t('console.with', { method: shown(method.name).text })}
          </a>
        ),
      )}
    </div>
  );
}

function Broker({ method, to, elsewhere, words, tone }: BrokerProps & { tone: 'main' | 'plain' }) {
  return (
    <form method="post" action={elsewhere.action} className="stack">
      <Hidden start={elsewhere} {...{ method, to }} />
      <button type="submit" className={tone === 'main' ? 'button' : 'button plain'}>
        <MethodPicture of={method.preset} />
        {words.t('console.continue_with', { method: words.shown(method.name).text })}
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
