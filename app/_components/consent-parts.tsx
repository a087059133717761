// What the pages have in common on which a person lets a client act for them: who is signed in, and what it could do.
import type { Words } from '#lib/language/words.ts';
import type { ConsentView } from '#lib/oauth/hosted/views.ts';
import { type ScopeShown, scopeText } from '#lib/oauth/pages/consent-shown.ts';
import { Tile } from './tile.tsx';

export type Bindings = { interaction: string; antiForgery: string };

/** What binds a form to its page and its browser. */
export function BoundTo({ interaction, antiForgery }: Bindings) {
  return (
    <>
      <input type="hidden" name="interaction" value={interaction} />
      <input type="hidden" name="anti_forgery" value={antiForgery} />
    </>
  );
}

/** The client on its way to the API. */
export function Pair({ client, api }: Pick<Extract<ConsentView, { kind: 'ready' }>, 'client' | 'api'>) {
  return (
    <div className="pair" aria-hidden="true">
      <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
      <span className="pair-path" />
      <Tile of="api" id={api.id} name={api.name} logoUri={api.logo} />
    </div>
  );
}

type SignedInAsProps = { label: string; submitTo: string; bindings: Bindings; words: Words };

export function SignedInAs({ label, submitTo, bindings, words: { t } }: SignedInAsProps) {
  return (
    <form method="post" action={submitTo} className="person">
      <BoundTo {...bindings} />
      <span>
        <span className="unseen">{t('consent.signed_in_as')} </span>
        <bdi>{label}</bdi>
      </span>
      <button type="submit" name="switch" value="1" className="as-link">
        {t('consent.not_you')}
      </button>
    </form>
  );
}

export function Scopes({ scopes, words }: { scopes: readonly ScopeShown[]; words: Words }) {
  return (
    <>
      <h2 className="unseen" id="scopes">
        {words.t('consent.could_do')}
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
    </>
  );
}

function ScopeText({ scope, words }: { scope: ScopeShown; words: Words }) {
  const { text, lang } = scopeText(scope, words);
  return <bdi lang={lang}>{text}</bdi>;
}

export function Host({ children }: { children: string }) {
  return (
    <code>
      <bdi>{children}</bdi>
    </code>
  );
}
