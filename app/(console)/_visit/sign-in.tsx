// The console's own sign-in: the local form, and at /account a choice of every method.
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { type ConsoleMethod, listConsoleMethods } from '#lib/management/index.ts';
import type { Draft } from '../_forms/draft.ts';
import { noticeOf } from '../_forms/notices.ts';
import { withQuery } from '../_ui/list.tsx';

type SignInProps = {
  /** every method, or only the local ones, which alone carry roles */
  choice: boolean;
  /** the page to show afterwards */
  to: string;
  query: Record<string, string>;
  draft: Draft | null;
  lead: string;
};

export async function SignIn({ choice, to, query, draft, lead }: SignInProps) {
  const methods = (await listConsoleMethods()).filter((method) => choice || method.type === 'local');
  const asked = methods.find((method) => method.id === (valueOf(draft, 'authMethodId') ?? query['method']));
  const chosen = asked ?? methods.find((method) => method.type === 'local') ?? methods[0];
  const notice = noticeOf(query['done']);
  return (
    <HostedPage>
      {notice && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      <h1>Sign in</h1>
      <p className="lead">{lead}</p>
      {chosen ? (
        <Method method={chosen} {...{ to, draft }} alone={methods.length === 1} />
      ) : (
        <p className="alert">Nobody can sign in here yet: there is no sign-in method.</p>
      )}
      <Others methods={methods.filter((method) => method !== chosen)} to={to} />
    </HostedPage>
  );
}

type MethodProps = { method: ConsoleMethod; to: string; draft: Draft | null; alone: boolean };

function Method({ method, to, draft, alone }: MethodProps) {
  if (method.type === 'broker') return <Broker method={method} to={to} tone="main" />;
  const local = method.type === 'local';
  const username = valueOf(draft, 'username') ?? '';
  const wrong = draft?.message ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  return (
    <>
      {!alone && (
        <h2 className="method">
          <Name>{method.name}</Name>
        </h2>
      )}
      {draft?.message && (
        <p className="alert" role="alert" id="alert">
          {draft.message}
        </p>
      )}
      <form method="post" action="/account/submit/sign-in" className="stack">
        <input type="hidden" name="authMethodId" value={method.id} />
        <input type="hidden" name="to" value={to} />
        <label className="field">
          <span>{local ? 'E-mail' : 'Username'}</span>
          <input
            name="username"
            type={local ? 'email' : 'text'}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            defaultValue={username}
            // biome-ignore lint/a11y/noAutofocus: typing here is what this page is for
            autoFocus={username === ''}
            required
            {...wrong}
          />
        </label>
        <div className="field-with-link">
          <label className="field">
            <span>Password</span>
            <input
              name="password"
              type="password"
              autoComplete="current-password"
              // biome-ignore lint/a11y/noAutofocus: as above
              autoFocus={username !== ''}
              required
              {...wrong}
            />
          </label>
          {local && <a href="/account/forgot-password">Forgot it?</a>}
        </div>
        <button type="submit" className="button">
          Sign in
        </button>
      </form>
    </>
  );
}

function Others({ methods, to }: { methods: ConsoleMethod[]; to: string }) {
  if (methods.length === 0) return null;
  return (
    <div className="other-methods">
      <h2 className="unseen">Other ways to sign in</h2>
      {methods.map((method) =>
        method.type === 'broker' ? (
          <Broker key={method.id} method={method} to={to} tone="plain" />
        ) : (
          <a key={method.id} className="button plain" href={withQuery(to.split('?')[0] ?? to, { method: method.id })}>
            {method.name}
          </a>
        ),
      )}
    </div>
  );
}

function Broker({ method, to, tone }: { method: ConsoleMethod; to: string; tone: 'main' | 'plain' }) {
  return (
    <form method="post" action="/account/submit/sign-in-elsewhere" className="stack">
      <input type="hidden" name="authMethodId" value={method.id} />
      <input type="hidden" name="to" value={to} />
      <button type="submit" className={tone === 'main' ? 'button' : 'button plain'}>
        Continue with {method.name}
      </button>
    </form>
  );
}

function valueOf(draft: Draft | null, name: string): string | undefined {
  return draft?.entries.find(([key]) => key === name)?.[1];
}

