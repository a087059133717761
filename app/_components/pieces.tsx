// Small components of pages: names, sentences, addresses, and durations.
import { Fragment, type ReactNode } from 'react';
import { readableLine } from '#lib/kit/text.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { CopyButton, type CopyWords } from './copy.tsx';

const LONGEST = 80;

/**
 * A name that another user chose: shortened, and isolated so that its text direction cannot change the sentence. With
 * `words`, the name is in the reader's language.
 */
export function Name({ children, words }: { children: DisplayText; words?: Words }) {
  const { text, lang } = words?.shown(children) ?? { text: plainText(children), lang: undefined };
  const letters = Array.from(readableLine(text) ?? '');
  const cut = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : letters.join('');
  return (
    <bdi className="name" lang={lang}>
      {cut}
    </bdi>
  );
}

/** Shows a message whose arguments are elements; `parts` comes from `words.parts(…)`. */
export function Sentence({ parts }: { parts: readonly ReactNode[] }) {
  return (
    <>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have a fixed order
        <Fragment key={at}>{part}</Fragment>
      ))}
    </>
  );
}

/** A custom text of an API or client, rendered as plain text even if it resembles HTML. */
export const OwnText = ({ text }: { text: string | null }) =>
  text === null ? null : <p className="own-text">{text}</p>;

/** Shows a sentence in which backticks mark code. */
export function Prose({ children }: { children: string }) {
  return children.split('`').map((part, index) => {
    const key = `${index}:${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}

/** Inserts places at which the browser can break the line: by default after each slash and underscore of a path. */
export const markBreaks = (text: string, places = /(?<=[/_])(?=\w|\{)/): ReactNode =>
  text.split(places).map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have a fixed order
    <Fragment key={n}>
      {n > 0 && <wbr />}
      {part}
    </Fragment>
  ));

type CopyFieldProps = { label: string; value: string; said?: CopyWords | undefined };

/** A value that users can copy. Without JavaScript, a click selects the whole value. */
export function CopyField({ label, value, said }: CopyFieldProps) {
  return (
    <div className="copy">
      <code>{value}</code>
      <CopyButton text={value} label={label} said={said} />
    </div>
  );
}

// Links of an API or a client: terms of service, privacy policy, contact.
type Addresses = { tosUri: string | null; policyUri: string | null; contactUri: string | null };

export function ApiAddresses({
  api,
  words = wordsOf('en'),
}: {
  api: Addresses & { name: DisplayText };
  words?: Words;
}) {
  const { t } = words;
  const links = (
    [
      [t('consent.terms'), api.tosUri],
      [t('consent.privacy'), api.policyUri],
      [t('consent.contact'), api.contactUri],
    ] as const
  ).filter(([, href]) => href !== null);
  if (links.length === 0) return null;
  return (
    <p className="note">
      <Name words={words}>{api.name}</Name>:{' '}
      {links.map(([label, href], at) => (
        <span key={label}>
          {at > 0 && ' · '}
          <a href={href ?? undefined} rel="noreferrer" target="_blank">
            {label}
          </a>
        </span>
      ))}
    </p>
  );
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

type Part = [unit: (typeof UNITS)[number][0], count: number];

/** Splits a duration into its two largest units. `isRounded`: smaller units were dropped. */
export function durationParts(seconds: number): { parts: Part[]; isRounded: boolean } {
  const parts: Part[] = [];
  let rest = seconds;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 || parts.length === 2) continue;
    parts.push([unit, count]);
    rest -= count * size;
  }
  return { parts: parts.length === 0 ? [['second', 0]] : parts, isRounded: rest > 0 };
}

/** Describes a duration, for example `1 hour 30 minutes`. It starts with `about` if the duration is rounded. */
export function inWords(seconds: number): string {
  const { parts, isRounded } = durationParts(seconds);
  const words = parts.map(([unit, count]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `${isRounded ? 'about ' : ''}${words.join(' ')}`;
}
