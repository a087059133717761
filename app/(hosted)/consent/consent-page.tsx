import { ApiAddresses } from '#app/_components/api-addresses.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Tile } from '#app/_components/tile.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Words } from '#lib/language/index.ts';
import { type ConsentView, type ScopeShown, scopeText } from '#lib/oauth/index.ts';

/** What a person decides by, and its form. */
export function ConsentPage({
  view,
  requestId,
  frame,
  submitTo = '/consent/submit',
}: {
  view: ConsentView;
  requestId: string;
  frame: HostedFrame;
  /** where its forms go; a preview has no such place */
  submitTo?: string;
}) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;

  const { client, api, scopes, person, returnTo, onlyHere, alert } = view;
  const bindings = (
    <>
      <input type="hidden" name="interaction" value={view.interaction} />
      <input type="hidden" name="anti_forgery" value={view.antiForgery} />
    </>
  );
  const names = {
    client: <Name words={words}>{client.name}</Name>,
    api: <Name words={words}>{api.name}</Name>,
  };
  return (
    <HostedPage frame={frame}>
      <div className="pair" aria-hidden="true">
        <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
        <span className="pair-path" />
        <Tile of="api" id={api.id} name={api.name} logoUri={api.logo} />
      </div>
      <h1>
        <Sentence parts={words.parts('consent.heading', names)} />
      </h1>
      <p className="lead">{t('consent.lead')}</p>
      {client.host !== null && (
        <p className="note">
          <Sentence parts={words.parts('consent.unregistered', { host: <Host>{client.host}</Host> })} />
        </p>
      )}
      {onlyHere && (
        <p className="notice" role="note">
          <Sentence parts={words.parts('consent.only_here', { client: names.client })} />
        </p>
      )}
      {alert !== null && (
        <p className="alert" role="alert">
          {sentence(alert)}
        </p>
      )}
      <form method="post" action={submitTo} className="person">
        {bindings}
        <span>
          <span className="unseen">{t('consent.signed_in_as')} </span>
          <bdi>{person.label}</bdi>
        </span>
        <button type="submit" name="switch" value="1" className="as-link">
          {t('consent.not_you')}
        </button>
      </form>
      <h2 className="unseen" id="scopes">
        {t('consent.could_do')}
      </h2>
      {scopes.length > 0 && (
        <ul className="scopes" aria-labelledby="scopes">
          {scopes.map((scope) => (
            <li key={scope.name}>
              <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
                <path d="M3 8.5 6.5 12 13 4.5" />
              </svg>
              <ScopeText scope={scope} words={words} />
            </li>
          ))}
        </ul>
      )}
      <form method="post" action={submitTo} className="decision">
        {bindings}
        <button type="submit" name="decision" value="deny" className="button plain">
          {t('consent.deny')}
        </button>
        <button type="submit" name="decision" value="allow" className="button">
          {t('consent.allow')}
        </button>
      </form>
      <p className="note">
        <Sentence parts={words.parts('consent.returns_to', { host: <Host>{returnTo}</Host> })} />
      </p>
      <ApiAddresses api={client} words={words} />
      <ApiAddresses api={api} words={words} />
    </HostedPage>
  );
}

function ScopeText({ scope, words }: { scope: ScopeShown; words: Words }) {
  const { text, lang } = scopeText(scope, words);
  return <bdi lang={lang}>{text}</bdi>;
}

function Host({ children }: { children: string }) {
  return (
    <code>
      <bdi>{children}</bdi>
    </code>
  );
}
