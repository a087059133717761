// What people are shown of a client once it is approved, for who decides: each text in every language that it has, and
// each address.

import { Tile } from '#app/_components/tile.tsx';
import { readableLine } from '#lib/kit/text/readable-text.ts';
import type { ClientValues } from '#lib/registry/clients/client.ts';
import { returnHost } from '#lib/registry/clients/redirect-rules.ts';
import { type DisplayText, textsByLanguage } from '#lib/registry/fields/display-text.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Callout, Fact } from '../_ui/pieces.tsx';

/** Of a client, in the forms that its own page and a subscription have it. */
export type ShownToPeople = Pick<
  ClientValues,
  'clientId' | 'name' | 'logoUri' | 'tosUri' | 'policyUri' | 'redirectUris'
>;

/** Each is a field of a client that consent or sign-in shows: its texts, whole. A brand has a preview of its own. */
export const SHOWN: {
  [Field in Exclude<keyof ShownToPeople, 'clientId'>]: {
    label: string;
    texts: (client: ShownToPeople) => DisplayText[];
  };
} = {
  name: { label: toSay('Name'), texts: ({ name }) => [name] },
  logoUri: { label: toSay('Logo'), texts: ({ logoUri }) => given(logoUri) },
  tosUri: { label: toSay('Terms of service'), texts: ({ tosUri }) => given(tosUri) },
  policyUri: { label: toSay('Privacy policy'), texts: ({ policyUri }) => given(policyUri) },
  redirectUris: { label: toSay('Sends people to'), texts: ({ redirectUris }) => hostsOf(redirectUris) },
};

const given = (address: string | null) => (address === null ? [] : [address]);

const hostsOf = (uris: readonly string[]) => [...new Set(uris.map(returnHost))];

export function ShownFacts({ of }: { of: ShownToPeople }) {
  return Object.entries(SHOWN).map(([field, { label, texts }]) => {
    const shown = texts(of);
    if (shown.length === 0) return null;
    return (
      <Fact key={field} name={say(label)}>
        {field === 'logoUri' && <Tile of="client" id={of.clientId} name={of.name} logoUri={of.logoUri} />}
        {shown.length === 1 && shown[0] !== undefined ? (
          <AllTexts of={shown[0]} />
        ) : (
          <ul>
            {shown.map((text) => (
              <li key={JSON.stringify(text)}>
                <AllTexts of={text} />
              </li>
            ))}
          </ul>
        )}
      </Fact>
    );
  });
}

/** Whole: what is cut off could be what matters. */
export function AllTexts({ of }: { of: DisplayText }) {
  const texts = textsByLanguage(of);
  const [first] = texts;
  if (texts.length === 1 && first?.tag === null) return <bdi>{seen(first.text)}</bdi>;
  return (
    <ul>
      {texts.map(({ tag, text }) => (
        <li key={tag}>
          <bdi lang={tag ?? undefined}>{seen(text)}</bdi> <span className="soft">{languageOf(tag)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The text in the reader's language; the others are folded. */
export function FoldedTexts({ of }: { of: DisplayText }) {
  const { text, lang } = spoken().shown(of);
  const others = textsByLanguage(of).filter((one) => one.text !== text);
  return (
    <>
      <bdi lang={lang}>{seen(text)}</bdi>
      {others.length > 0 && (
        <details className="other-texts">
          <summary>
            {say('{count, plural, one {# other language} other {# other languages}}', {
              count: others.length,
            })}
          </summary>
          <AllTexts of={Object.fromEntries(others.map((one) => [one.tag ?? 'und', one.text]))} />
        </details>
      )}
    </>
  );
}

const seen = (text: string) => readableLine(text) ?? '';

function languageOf(tag: string | null): string {
  if (tag === null) return say('where no other language fits');
  return `${new Intl.DisplayNames([spoken().language], { type: 'language' }).of(tag) ?? tag} (${tag})`;
}

/**
 * People in one language read another name than people in another, and whether it says the same is for a reader to see.
 */
export function OtherNames({ of }: { of: Pick<ShownToPeople, 'name'> }) {
  const names = new Set(textsByLanguage(of.name).map(({ text }) => text));
  if (names.size < 2) return null;
  return (
    <Callout tone="waiting">
      <p>
        <strong>{say('It has {count, plural, one {# name} other {# names}}.', { count: names.size })}</strong>{' '}
        {say(
          'People are shown the one in their language: read each below, and make sure that it says the same.',
        )}
      </p>
    </Callout>
  );
}
