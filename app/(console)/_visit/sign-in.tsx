// The console's own sign-in: the local form, and at /account a choice of every method.
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { SignInFields } from '#app/_components/sign-in-fields.tsx';
import { type ConsoleMethod, listConsoleMethods } from '#lib/management/index.ts';
import type { Draft } from '../_forms/draft.ts';
import { noticeOf } from '../_forms/notices.ts';
import { withQuery } from '../_ui/list.tsx';
import { type FormStart, startForm } from './start-form.ts';

type SignInProps = {
  /** every method, or only the local ones, which alone carry roles */
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
  const asked = methods.find((method) => method.id === (typedIn(draft, 'authMethodId') ?? query['method']));
  const chosen = asked ?? methods.find((method) => method.type === 'local') ?? methods[0];
  const notice = noticeOf(query['done']);
  const here = await startForm('account', 'sign-in', cookie, draft);
  const elsewhere = await startForm('account', 'sign-in-elsewhere', cookie, draft);
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
        <Method method={chosen} {...{ to, draft, here, elsewhere }} alone={methods.length === 1} />
      ) : (
        <p className="alert">Nobody can sign in here yet: there is no sign-in method.</p>
      )}
      <Others methods={methods.filter((method) => method !== chosen)} {...{ to, elsewhere }} />
    </HostedPage>
  );
}

type MethodProps = {
  method: ConsoleMethod;
  to: string;
  draft: Draft | null;
  alone: boolean;
  here: FormStart;
  elsewhere: FormStart;
};

function Method({ method, to, draft, alone, here, elsewhere }: MethodProps) {
  if (method.type === 'broker') return <Broker {...{ method, to, elsewhere }} tone="main" />;
  const local = method.type === 'local';
  const message = here.message ?? elsewhere.message;
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
        <input type="hidden" name="anti_forgery" value={here.token} />
        <input type="hidden" name="authMethodId" value={method.id} />
        <input type="hidden" name="to" value={to} />
        <SignInFields
          local={local}
          username={typedIn(draft, 'username') ?? ''}
          wrong={Boolean(here.message)}
          forgotten={local ? '/account/forgot-password' : null}
        />
        <button type="submit" className="button">
          Sign in
        </button>
      </form>
    </>
  );
}

type OthersProps = { methods: ConsoleMethod[]; to: string; elsewhere: FormStart };

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
            Sign in with {method.name}
          </a>
        ),
      )}
    </div>
  );
}

type BrokerProps = { method: ConsoleMethod; to: string; elsewhere: FormStart; tone: 'main' | 'plain' };

function Broker({ method, to, elsewhere, tone }: BrokerProps) {
  return (
    <form method="post" action={elsewhere.action} className="stack">
      <input type="hidden" name="anti_forgery" value={elsewhere.token} />
      <input type="hidden" name="authMethodId" value={method.id} />
      <input type="hidden" name="to" value={to} />
      <button type="submit" className={tone === 'main' ? 'button' : 'button plain'}>
        Continue with {method.name}
      </button>
    </form>
  );
}

function typedIn(draft: Draft | null, name: string): string | undefined {
  return draft?.entries.find(([key]) => key === name)?.[1];
}
