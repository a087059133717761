// Console pages for users who are signed out: the sign-in form, the second step after the first step, and single
// cards whose forms are bound to the browser.
import { headers } from 'next/headers';
import Script from 'next/script';
import type { ComponentProps, ReactNode } from 'react';
import { HostedPage } from '#app/_components/frame.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import {
  Alert,
  CodeForm,
  FIELD_OF_CODE,
  Neither,
  NewPasswordForm,
  PasskeyButton,
  PasskeyForm,
  PasskeySignIn,
  PasswordForm,
  PostForm,
  Proofs,
  TotpSecret,
} from '#app/_components/sign-in-parts.tsx';
import { NEW_PASSWORD_SCRIPT, PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import type { Words } from '#lib/language/words.ts';
import {
  askConsolePasskey,
  type ConsoleMethod,
  graceOf,
  listConsoleMethods,
  viewNewFactor,
  viewSecondStep,
} from '#lib/management/console-sign-in.ts';
import type { UnfinishedSignIn } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { speakIn } from '../_texts/say.tsx';
import { type Draft, FormValues, findDraft } from './draft.ts';
import { frameOf, visitWords } from './page-language.ts';
import { type FormStart, Notice, postOf, startForm, withoutForeignNotice } from './page-start.tsx';
import { MethodPicture } from './pieces.tsx';
import { withQuery } from './with-query.ts';

const isOurs = (method: ConsoleMethod) => methodCan(method, 'hasAccounts');

/**
 * The address of the page for a forgotten password. The draft of the rejected sign-in passes the typed user
 * name to that page.
 */
const forgottenAddress = (username: string, draft = '') =>
  withQuery('/account/forgot-password', { draft: username === '' ? '' : draft });

type SignInProps = {
  /**
   * true: the page offers every sign-in method; false: only the method for accounts stored by Gatehouse, because only
   * these accounts can have roles
   */
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
  const consoleMethod = methods.find((method) => method.id === values.one('authMethodId', query['method']));
  const chosen = consoleMethod ?? methods.find(isOurs) ?? methods[0];
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
  /** the address of the page for a forgotten password */
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
  const of = { authMethodId: method.id, to };
  return (
    <>
      {!alone && (
        <h2 className="method">
          <Name words={words}>{method.name}</Name>
        </h2>
      )}
      <Alert message={message} />
      <PasswordForm
        post={postOf(here, of)}
        names={method.names}
        wrong={Boolean(here.message)}
        forgotten={ours ? forgotten : null}
        {...{ username, passkey, words }}
      />
      <PasskeySignIn post={postOf(byPasskey, of)} passkey={passkey} words={words} />
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
    <PostForm post={postOf(elsewhere, { authMethodId: method.id, to })}>
      <button type="submit" className={tone === 'main' ? 'button' : 'button plain'}>
        <MethodPicture of={method.preset} />
        {words.t('console.continue_with', { method: words.shown(method.name).text })}
      </button>
    </PostForm>
  );
}

// Console page after the first step. It shows only the second step, or the setup of a second factor.

type SecondStepProps = {
  who: UnfinishedSignIn;
  /** the page to show after the second step */
  to: string;
  draft: Draft | null;
  cookie: string | undefined;
  /** result of the last form, because setting a new password also leads to this step */
  done: string | undefined;
  query: Record<string, string>;
};
/** The properties of the second step, with the texts of the page. */
type StepProps = SecondStepProps & { words: PageWords };

export async function SecondStep(props: SecondStepProps) {
  const words = await visitWords();
  const leave = await startForm('account', 'confirm-cancel', props.cookie, props.draft, words);
  const step = { ...props, words };
  return (
    <HostedPage frame={frameOf(words, props.query)}>
      <Notice done={props.done} told={words.told} />
      {props.who.owes === 'confirm' ? <Confirm {...step} /> : <SetUp {...step} />}
      <PostForm post={postOf(leave, { to: props.to })}>
        <button type="submit" className="button quiet">
          {words.t('sign_out.heading')}
        </button>
      </PostForm>
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
  // recovery codes replace a lost factor, so they are listed last
  const passkeyFirst = passkey !== null && code === 'recovery code';
  return (
    <>
      <h1>{t('factor.confirm')}</h1>
      <Whose who={who} words={words} />
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message} />
      <Proofs
        passkey={passkey && { post: postOf(byPasskey, { to }), asked: passkey }}
        code={
          code && {
            post: postOf(byCode, { to }),
            kind: FIELD_OF_CODE[code].kind,
            label: t('frame.code'),
            hint: t(FIELD_OF_CODE[code].hint),
            wrong: byCode.message !== null,
            focus: !passkeyFirst,
            go: t('my.again_go'),
          }
        }
        main={code && !passkeyFirst ? 'code' : 'passkey'}
        {...{ passkeyFirst, words }}
      />
      <Neither words={words} />
    </>
  );
}

async function SetUp({ who, to, draft, cookie, words }: StepProps) {
  const { t } = words;
  const [{ totp, passkey }, byCode, byPasskey, later] = await Promise.all([
    viewNewFactor(who, { shown: new FormValues(draft).one('sealed') }),
    startForm('account', 'set-up-app', cookie, draft, words),
    startForm('account', 'set-up-passkey', cookie, draft, words),
    startForm('account', 'set-up-later', cookie, draft, words),
  ]);
  const days = graceOf(who);
  // the form of the passkey, too, so that the page after a rejected passkey shows the same secret
  const fields = { to, ...(totp && { sealed: totp.sealed }) };
  return (
    <>
      <h1>{t('factor.set_up')}</h1>
      <Whose who={who} words={words} />
      <p>{t('step.set_up_why')}</p>
      <Alert message={byCode.faults['code'] ?? byCode.message ?? byPasskey.message ?? later.message} />
      {passkey && (
        <PasskeyForm kind="create" post={postOf(byPasskey, fields)} asked={passkey} words={words}>
          <PasskeyButton tone="button">{t('security.add_passkey')}</PasskeyButton>
        </PasskeyForm>
      )}
      {totp && (
        <CodeForm
          post={postOf(byCode, fields)}
          above={<TotpSecret {...totp} lead={t('security.app_read')} words={words} />}
          kind="app"
          label={t('frame.code')}
          hint={t('security.code_hint')}
          wrong={byCode.message !== null}
          go={t('security.app_set_up_it')}
          tone="button plain"
        />
      )}
      {days !== null && (
        <PostForm post={postOf(later, { to })}>
          <button type="submit" className="button quiet">
            {t('step.later', { days })}
          </button>
        </PostForm>
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

type NewPasswordProps = Pick<ComponentProps<typeof NewPasswordForm>, 'label' | 'code' | 'words'> & {
  form: FormStart;
  fields: Readonly<Record<string, string>>;
};

/** Form: signed-out users choose a new password. */
export function NewPassword({ form, fields, ...props }: NewPasswordProps) {
  const { faults, message } = form;
  return (
    <>
      <Alert message={faults['password'] ?? faults['code'] ?? message} />
      <NewPasswordForm
        post={postOf(form, fields)}
        minLength={settings().passwordMinLength}
        wrong={faults['password'] ? 'password' : faults['code'] ? 'code' : null}
        {...props}
      />
      <Script src={NEW_PASSWORD_SCRIPT} strategy="lazyOnload" />
    </>
  );
}

// Console pages for signed-out users: a single card with browser-bound forms.

type PublicPage = {
  query: Record<string, string>;
  cookie: string | undefined;
  form: (name: string) => Promise<FormStart>;
  /** returns the draft of the form with this name */
  typed: (name: string) => FormValues;
  words: Words;
};

export const publicPage =
  (render: (page: PublicPage) => Promise<ReactNode>) =>
  async ({ searchParams }: { searchParams: SearchParams }): Promise<ReactNode> => {
    const sent = await headers();
    const cookie = sent.get('cookie') ?? undefined;
    const query = withoutForeignNotice(sent, await readQuery(searchParams));
    const draft = await findDraft(query['draft'], { actor: null, cookie });
    const words = await visitWords();
    speakIn(words);
    const form = (name: string) => startForm('account', name, cookie, draft, words);
    const draftOf = (name: string) => new FormValues(draft?.form === name ? draft : null);
    return (
      <HostedPage frame={frameOf(words, query)}>
        <Notice done={query['done']} told={words.told} />
        {await render({ query, cookie, form, typed: draftOf, words })}
      </HostedPage>
    );
  };
