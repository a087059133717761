import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { SignInFields } from '#app/_components/sign-in-fields.tsx';
import { Tile } from '#app/_components/tile.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import { htmlPage } from '#app/_html/html-page.ts';
import { type SignInView, viewSignIn } from '#lib/oauth/index.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, requestId }) => {
    const view = await viewSignIn({ interaction: query('interaction'), done: query('done'), cookie });
    const status = view.kind === 'unusable' ? 400 : 200;
    return { status, title: 'Sign in', content: <SignInPage view={view} requestId={requestId} /> };
  },
  { personal: true },
);

function SignInPage({ view, requestId }: { view: SignInView; requestId: string }) {
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} />;
  if (view.kind === 'elsewhere') {
    return (
      <HostedPage>
        <h1>{view.heading}</h1>
        <p className="lead">{view.message}</p>
      </HostedPage>
    );
  }

  const { client, api, method, username, notice, alert, forgotten } = view;
  return (
    <HostedPage>
      <div className="asker">
        <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
        <p>
          <span>Continue to</span>
          <span className="asker-names">
            <strong>
              <Name>{client.name}</Name>
            </strong>{' '}
            with <Name>{api.name}</Name>
          </span>
          {client.host !== null && <span className="soft">{client.host}</span>}
        </p>
      </div>
      <h1>Sign in</h1>
      <p className="lead">
        <Name>{method.name}</Name>
      </p>
      {notice !== null && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {alert}
        </p>
      )}
      <form method="post" action="/login/submit" className="stack">
        <input type="hidden" name="interaction" value={view.interaction} />
        <input type="hidden" name="anti_forgery" value={view.antiForgery} />
        <SignInFields
          local={method.type === 'local'}
          username={username}
          wrong={alert !== null}
          forgotten={forgotten}
        />
        <button type="submit" className="button">
          Sign in
        </button>
        <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
          Cancel
        </button>
      </form>
    </HostedPage>
  );
}
