// Shared parts of hosted pages: the requesting client, the signed-in user with the client's permissions, a link to
// continue, and error pages.
import { type HostedFrame, HostedPage, Reference } from '#app/_components/frame.tsx';
import type { Told } from '#lib/language/message.ts';
import type { Words } from '#lib/language/words.ts';
import { logoAddress } from '#lib/oauth/client-logo.ts';
import type { ConsentView } from '#lib/oauth/pages/consent.ts';
import { type ScopeShown, scopeText } from '#lib/oauth/pages/frame.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { Name, Sentence } from './pieces.tsx';

/**
 * Properties of a tile: the logo of a client or API, or the first letter of its name on a colour that is computed
 * from its id.
 */
type TileProps = { id: string; name: DisplayText; logoUri?: string | null; of: 'client' | 'api' };

const COLOURS = 5;

export function Tile({ id, name: displayText, logoUri = null, of }: TileProps) {
  const name = plainText(displayText);
  // Gatehouse serves these logos itself, in two sizes
  const ours = of === 'api' || logoUri?.startsWith('/');
  const address = ours ? logoUri : logoAddress({ clientId: id, logoUri });
  if (address) {
    // the logo is 44 pixels wide: the small file has 64 pixels, the large file 192
    const srcSet = ours ? `${address}-small 1x, ${address} 2x` : undefined;
    return (
      <span className="tile tile-logo" data-letter={firstLetter(name)}>
        {/* biome-ignore lint/performance/noImgElement: the server already serves the image in suitable sizes */}
        <img src={address} srcSet={srcSet} alt={name} width="44" height="44" referrerPolicy="no-referrer" />
      </span>
    );
  }
  const colour = of === 'api' ? 'tile-api' : `tile-${sum(id) % COLOURS}`;
  return (
    <span className={`tile ${colour}`} aria-hidden="true">
      {firstLetter(name)}
    </span>
  );
}

function sum(text: string): number {
  return Array.from(text).reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
}

function firstLetter(name: string): string {
  return (/[\p{Letter}\p{Number}]/u.exec(name)?.[0] ?? '·').toUpperCase();
}

type AskerProps = {
  client: { clientId: string; name: DisplayText; logoUri: string | null; host: string | null };
  api: { name: DisplayText };
  words: Words;
};

/** Shows the client that requests the sign-in, and its API, above the form. */
export function Asker({ client, api, words }: AskerProps) {
  const names = {
    client: (
      <strong>
        <Name words={words}>{client.name}</Name>
      </strong>
    ),
    api: <Name words={words}>{api.name}</Name>,
  };
  return (
    <div className="asker">
      <Tile of="client" id={client.clientId} name={client.name} logoUri={client.logoUri} />
      <p>
        <span>{words.t('sign_in.continue_to')}</span>
        <span className="asker-names">
          <Sentence parts={words.parts('sign_in.asker', names)} />
        </span>
        {client.host !== null && <bdi className="soft">{client.host}</bdi>}
      </p>
    </div>
  );
}

// Shared parts of pages on which a user gives a client access: the signed-in user, and the permissions of the client.

export type Bindings = { interaction: string; antiForgery: string };

/** Fields that bind a form to this page and this browser. */
export function BoundTo({ interaction, antiForgery }: Bindings) {
  return (
    <>
      <input type="hidden" name="interaction" value={interaction} />
      <input type="hidden" name="anti_forgery" value={antiForgery} />
    </>
  );
}

/** Where a form of a hosted page posts, with the fields that bind it to this page and this browser. */
export const postTo = (
  action: string,
  { interaction, antiForgery }: Bindings,
  more: Readonly<Record<string, string>> = {},
) => ({ action, fields: { interaction, anti_forgery: antiForgery, ...more } });

/** Shows the logos of the client and of the API next to each other. */
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

type OnwardProps = { heading: Told; message: Told; href: string; frame: HostedFrame };

/** A page without a form that links to the next page. */
export function Onward({ heading, message, href, frame }: OnwardProps) {
  const { t, told } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{told(heading)}</h1>
      <p className="lead">{told(message)}</p>
      <p className="actions">
        <a className="button" href={href}>
          {t('frame.continue')}
        </a>
      </p>
    </HostedPage>
  );
}

type UnusableProps = { heading: Told; message: Told; frame: HostedFrame };

/** Error page for a link that cannot be used: the fault and its remedy. */
export function Unusable({ heading, message, frame }: UnusableProps) {
  const { t, told } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{told(heading)}</h1>
      <p className="lead">{told(message)}</p>
      <Reference name={t('frame.request_id')} id={frame.requestId ?? ''} />
      <p className="note">{t('frame.nothing_shared')}</p>
    </HostedPage>
  );
}
