import { Asker } from '#app/_components/asker.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { Go, PasswordFields, RegisterFields } from '#app/_components/register-fields.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { type RegisterView, viewRegister } from '#lib/oauth/index.ts';

export const dynamic = 'force-dynamic';

// at an issuer's own host clients register here (RFC 7591)
export { DELETE, HEAD, OPTIONS, PATCH, POST, PUT } from '#app/_door.ts';

const HEADINGS = {
  address: 'Create an account',
  code: 'Enter the code',
  link: 'Confirm your address',
  password: 'Choose a password',
};

export const GET = htmlPage(
  async ({ query, cookie, requestId, frame }) => {
    const [interaction, link, done] = [query('interaction'), query('link'), query('done')];
    const [invitation, again] = [query('invitation'), query('again')];
    const view = await viewRegister({ interaction, link, done, invitation, again, cookie });
    const status = view.kind === 'unusable' ? 400 : 200;
    const title = view.kind === 'ready' ? HEADINGS[view.step] : HEADINGS.address;
    const content = <RegisterPage view={view} requestId={requestId} frame={frame} />;
    return { status, title, content, style: styleOf(view) };
  },
  { personal: true },
);

type RegisterPageProps = { view: RegisterView; requestId: string; frame: HostedFrame };

function RegisterPage({ view, requestId, frame }: RegisterPageProps) {
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;
  if (view.kind === 'invited') return <Invited view={view} />;
  if (view.kind !== 'ready')
    return (
      <HostedPage>
        <h1>{view.heading}</h1>
        <p className="lead">{view.message}</p>
        {view.kind === 'ended' && (
          <p className="actions">
            <a className="button" href={view.href}>
              {view.label}
            </a>
          </p>
        )}
      </HostedPage>
    );

  const { client, api, alert, step } = view;
  return (
    <HostedPage>
      <Asker client={client} api={api} words={frame.words} />
      <h1>{HEADINGS[step]}</h1>
      <p className="lead">
        <Lead view={view} />
      </p>
      {step === 'code' && view.notice !== null && (
        <p className="notice" role="status">
          {view.notice}
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {alert}
        </p>
      )}
      <form method="post" action="/register/submit" className="stack">
        <input type="hidden" name="interaction" value={view.interaction} />
        <input type="hidden" name="anti_forgery" value={view.antiForgery} />
        <RegisterFields view={view} />
      </form>
    </HostedPage>
  );
}

function Lead({ view }: { view: Extract<RegisterView, { kind: 'ready' }> }) {
  const address = <Name>{view.email}</Name>;
  if (view.step === 'address') return <>All it takes is an e-mail address and a password.</>;
  if (view.step === 'link')
    return <>You opened the mail to {address}. Go on here, or do nothing if you asked for no account.</>;
  if (view.step === 'password') return <>{address} is yours. Now choose how you sign in with it.</>;
  return <>We sent a mail to {address}. Its code works for ten minutes.</>;
}

function Invited({ view }: { view: Extract<RegisterView, { kind: 'invited' }> }) {
  return (
    <HostedPage>
      <h1>{HEADINGS.address}</h1>
      <p className="lead">
        You are invited as <Name>{view.email}</Name>. Choose how you sign in.
      </p>
      {view.alert !== null && (
        <p className="alert" role="alert" id="alert">
          {view.alert}
        </p>
      )}
      <form method="post" action="/register/submit" className="stack">
        <input type="hidden" name="invitation" value={view.invitation} />
        <PasswordFields view={view} wrong={view.alert !== null} />
        <Go>Create the account</Go>
      </form>
    </HostedPage>
  );
}
