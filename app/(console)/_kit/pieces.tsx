// Small components that every page of the console uses. They are server components and need no script.
import type { ReactNode } from 'react';
import type { PresetName } from '#lib/catalogue/methods/broker/presets.ts';
import { now } from '#lib/kit/clock.ts';
import type { Words } from '#lib/language/words.ts';
import { NO_CREDENTIAL_PATTERN } from '#lib/tokens/credential-text.ts';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

/** Parent page; without `href`: the present page. */
export type Crumb = { href?: string; label: ReactNode };

export type TitleProps = {
  children: ReactNode;
  lead?: ReactNode;
  back?: Crumb | readonly Crumb[];
  actions?: ReactNode;
};

/** Main heading of the page, with breadcrumbs and buttons. */
export function Title({ children, lead, back = [], actions }: TitleProps) {
  const crumbs = [back].flat();
  const last = crumbs.length - 1;
  return (
    <div className="title">
      <div>
        {crumbs.length > 0 && (
          <nav aria-label={say('Breadcrumb')}>
            <ol className="crumbs">
              {crumbs.map(({ href, label }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two breadcrumbs can have one name
                <li key={at} aria-current={href === undefined && at === last ? 'page' : undefined}>
                  {href === undefined ? label : <a href={href}>{label}</a>}
                </li>
              ))}
            </ol>
          </nav>
        )}
        <h1>{children}</h1>
        {lead && <p className="lead">{lead}</p>}
      </div>
      {actions && <div className="title-actions">{actions}</div>}
    </div>
  );
}

type PanelProps = {
  id: string;
  heading: ReactNode;
  lead?: ReactNode;
  aside?: ReactNode;
  tone?: 'danger';
  /**
   * true: the browser focuses this element if its id is the fragment of the address, so that screen readers read it
   */
  landing?: boolean;
  children?: ReactNode;
};

export function Panel({ id, heading, lead, aside, tone, landing = false, children }: PanelProps) {
  return (
    <section
      className={tone ? `panel ${tone}` : 'panel'}
      id={id}
      tabIndex={landing ? -1 : undefined}
      aria-labelledby={`${id}-heading`}
    >
      <div className="panel-head">
        <h2 id={`${id}-heading`}>{heading}</h2>
        {aside}
      </div>
      {lead && <p className="soft">{lead}</p>}
      {children}
    </section>
  );
}

type Tone = 'good' | 'waiting' | 'refused' | 'neutral';

/** The state of an object, with a coloured dot. */
export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`pill ${tone}`}>{children}</span>;
}

/** Kind of an object, or another property besides its state. */
export const Kind = ({ children }: { children: ReactNode }) => <span className="kind">{children}</span>;

const STATES = new Map<string, [Tone, string]>(
  Object.entries({
    approved: ['good', toSay('approved')],
    pending: ['waiting', toSay('waiting')],
    rejected: ['refused', toSay('rejected')],
    suspended: ['refused', toSay('suspended')],
    revoked: ['neutral', toSay('revoked')],
  }),
);

type SubscriptionState = { state: string; trusted: boolean; machine: boolean; device: boolean };

/** Shows the state of a subscription and its extra permissions, in the words of the console. */
export function StatePills({ of: { state, trusted, machine, device } }: { of: SubscriptionState }) {
  const [tone, word] = STATES.get(state) ?? ['neutral', state];
  return (
    <>
      <Pill tone={tone}>{say(word)}</Pill>
      {trusted && <Kind>{say('trusted')}</Kind>}
      {machine && <Kind>{say('machine')}</Kind>}
      {device && <Kind>{say('device')}</Kind>}
    </>
  );
}

export const managedWords = () =>
  say('Defined in the configuration file; apply overwrites changes made in the console');

/** An icon for objects that the configuration file defines. */
export function Managed() {
  return (
    <span className="managed" title={managedWords()}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M6 8l-1.5 1.75L6 11.5M10 8l1.5 1.75L10 11.5" />
      </svg>
      <span className="unseen">{say('configured')}</span>
    </span>
  );
}

/** Shown instead of an empty list; explains the first step. */
export function Empty({
  heading,
  inside,
  children,
}: {
  heading: string;
  inside?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="empty">
      {inside ? <h3>{heading}</h3> : <h2>{heading}</h2>}
      {children}
    </div>
  );
}

/**
 * A box with information that the user needs for a decision: the meaning of trusted, or the consequences of a change.
 */
export function Callout({
  tone = 'waiting',
  landing,
  children,
}: {
  tone?: 'waiting' | 'refused' | 'good';
  /** an id: the browser scrolls to and focuses this element if the address has this fragment */
  landing?: string;
  children: ReactNode;
}) {
  const lands = landing !== undefined && { id: landing, tabIndex: -1 };
  return (
    <div className={`callout ${tone}`} {...lands}>
      {children}
    </div>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="rows">{children}</dl>;
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Links between versions of a page. */
export function Tabs({
  label,
  tabs,
  here,
}: {
  label: string;
  tabs: readonly [href: string, text: string][];
  here: string;
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([href, text]) => (
        <a key={href} href={href} aria-current={href === here ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

// Several times with labels at the end of a row, side by side if the width permits.

export const Times = ({ children }: { children: ReactNode }) => <dl className="times">{children}</dl>;

export const Time = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const STEPS: [limitSeconds: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [90, 1, 'second'],
  [90 * 60, 60, 'minute'],
  [36 * 3600, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
];
/** British date format if the page is in English. */
const localeOf = ({ language }: Words) => (language === 'en' ? 'en-GB' : language);
const absoluteIn = (words: Words) =>
  new Intl.DateTimeFormat(localeOf(words), { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

type WhenProps = { at: Date | string | null; words?: Words };

/** Shows a time as `2 hours ago`, or the date after 30 days. The title contains the time in UTC. */
export function When({ at, words = currentWords() }: WhenProps) {
  if (at === null) return <>{words.t('console.never')}</>;
  const moment = new Date(at);
  return (
    <time
      dateTime={moment.toISOString()}
      title={say('{time} UTC', { time: absoluteIn(words).format(moment) })}
    >
      {inWords(moment, words)}
    </time>
  );
}

function inWords(moment: Date, words: Words): string {
  const seconds = (moment.getTime() - now().getTime()) / 1000;
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  if (!step)
    return new Intl.DateTimeFormat(localeOf(words), { dateStyle: 'medium', timeZone: 'UTC' }).format(moment);
  if (step[2] === 'second') return words.t(seconds < 0 ? 'console.just_now' : 'console.soon');
  const relative = new Intl.RelativeTimeFormat(words.language, { numeric: 'auto' });
  return relative.format(Math.round(seconds / step[1]), step[2]);
}

// Attributes for text fields of GET forms: browsers reject a credential and show where to paste it.

export const noCredential = () => ({
  pattern: NO_CREDENTIAL_PATTERN,
  title: say(
    'Do not enter tokens, codes, passwords or secrets: histories and logs keep addresses. Paste tokens into “Find anything”.',
  ),
});

// Shows a picture of the method's service, if the service is known: a drawing made for Gatehouse, in the colour of
// the text. Hidden from screen readers, because the name of the method is next to it.

const DRAWN: Record<PresetName, ReactNode> = {
  google: <path d="M12.5 12H20a8 8 0 1 1-2.34-5.66" />,
  microsoft: <path className="filled" d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />,
  apple: (
    <path d="M12 8.5c-1.3-1-2.6-1.3-3.8-1-2.6.6-3.7 2.9-3.4 5.7.4 3.5 2.4 6.8 4.6 6.8 1 0 1.6-.5 2.6-.5s1.6.5 2.6.5c2.2 0 4.2-3.3 4.6-6.8.3-2.8-.8-5.1-3.4-5.7-1.2-.3-2.5 0-3.8 1zm0 0c0-2.5 1.1-4.3 3.2-5" />
  ),
  github: (
    <path d="M5 4.5l3.3 2.2a10 10 0 0 1 7.4 0L19 4.5v5.6c.7 1 1 2 1 3.1 0 4-3.6 6.3-8 6.3s-8-2.3-8-6.3c0-1.1.3-2.1 1-3.1zM9.2 12.5v1.5M14.8 12.5v1.5" />
  ),
  gitlab: <path d="M12 20.5L3 13.5 6 4.5l3 6h6l3-6 3 9zM9 10.5l3 10 3-10" />,
  facebook: <path d="M9.5 20.5V8.5a4 4 0 0 1 4-4h2M6.5 11.5h8" />,
  linkedin: <path d="M5 10v9.5M5 4.5v1M10.5 19.5V10M10.5 14a4 4 0 0 1 8 0v5.5" />,
  discord: (
    <path d="M8 6c2.6-.7 5.4-.7 8 0 2.3 2.8 4 6.8 4.2 10.8-1.7 1.4-3.5 2-4.7 2.2l-1.3-2.2H9.8L8.5 19c-1.2-.2-3-.8-4.7-2.2C4 12.8 5.7 8.8 8 6zM9.3 12v.6M14.7 12v.6" />
  ),
  x: <path d="M5 5l14 14M19 5L5 19" />,
  adfs: <path d="M5 20.5v-15l8-2.5v17.5M13 9l6 2v9.5M3 20.5h18M9 8.5v.5M9 12.5v.5M9 16.5v.5" />,
};

export function MethodPicture({ of }: { of: PresetName | null }) {
  if (of === null) return null;
  return (
    <svg
      className="method-picture"
      viewBox="0 0 24 24"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
    >
      {DRAWN[of]}
    </svg>
  );
}
