import { ApiAddresses } from '#app/_components/api-addresses.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { Tile } from '#app/_components/tile.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import { htmlPage } from '#app/_html/html-page.ts';
import { type ConsentView, viewConsent } from '#lib/oauth/index.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, requestId }) => {
    const view = await viewConsent({ interaction: query('interaction'), cookie });
    const status = view.kind === 'unusable' ? 400 : 200;
    return { status, title: 'Allow access?', content: <ConsentPage view={view} requestId={requestId} /> };
  },
  { personal: true },
);

function ConsentPage({ view, requestId }: { view: ConsentView; requestId: string }) {
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} />;

  const { client, api, scopes, person, returnTo, onlyHere, alert } = view;
  const bindings = (
    <>
      <input type="hidden" name="interaction" value={view.interaction} />
      <input type="hidden" name="anti_forgery" value={view.antiForgery} />
    </>
  );
  return (
    <HostedPage>
      <div className="pair" aria-hidden="true">
        <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
        <span className="pair-path" />
        <Tile of="api" id={api.id} name={api.name} />
      </div>
      <h1>
        <Name>{client.name}</Name> wants access to <Name>{api.name}</Name>
      </h1>
      <p className="lead">On your behalf, until you withdraw it.</p>
      {client.host !== null && (
        <p className="note">
          It comes from{' '}
          <code>
            <bdi>{client.host}</bdi>
          </code>
          , and nobody registered it here.
        </p>
      )}
      {onlyHere && (
        <p className="notice" role="note">
          It returns to this computer only, and any program on it can say that it is{' '}
          <Name>{client.name}</Name>. Go on only if you have just started it yourself.
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert">
          {alert}
        </p>
      )}
      <form method="post" action="/consent/submit" className="person">
        {bindings}
        <span>
          <span className="unseen">Signed in as </span>
          <bdi>{person.label}</bdi>
        </span>
        <button type="submit" name="switch" value="1" className="as-link">
          Not you?
        </button>
      </form>
      <h2 className="unseen" id="scopes">
        What it could do
      </h2>
      {scopes.length > 0 && (
        <ul className="scopes" aria-labelledby="scopes">
          {scopes.map((scope) => (
            <li key={scope.name}>
              <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                <path d="M3 8.5 6.5 12 13 4.5" />
              </svg>
              <bdi>{scope.description || scope.name}</bdi>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/consent/submit" className="decision">
        {bindings}
        <button type="submit" name="decision" value="deny" className="button plain">
          Deny
        </button>
        <button type="submit" name="decision" value="allow" className="button">
          Allow
        </button>
      </form>
      <p className="note">
        You return to{' '}
        <code>
          <bdi>{returnTo}</bdi>
        </code>
        , whichever you choose.
      </p>
      <ApiAddresses api={api} />
    </HostedPage>
  );
}
