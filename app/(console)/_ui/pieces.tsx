// The small pieces that every page of the console is made of. Server components: they need no script.

import type { ReactNode } from 'react';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

type TitleProps = {
  children: ReactNode;
  lead?: ReactNode;
  back?: { href: string; label: string };
  actions?: ReactNode;
};

/** The page's main heading, with a link back above it and buttons beside it. */
export function Title({ children, lead, back, actions }: TitleProps) {
  return (
    <div className="title">
      <div>
        {back && (
          <p className="crumb">
            <a href={back.href}>{back.label}</a>
          </p>
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
  /** an address with its id as fragment focuses it, so that it is announced */
  landing?: boolean;
  children: ReactNode;
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

export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`pill ${tone}`}>{children}</span>;
}

const STATES = new Map<string, [Tone, string]>(
  Object.entries({
    approved: ['good', toSay('approved')],
    pending: ['waiting', toSay('waiting')],
    rejected: ['refused', toSay('rejected')],
    suspended: ['refused', toSay('suspended')],
    revoked: ['neutral', toSay('revoked')],
  }),
);

/** A subscription's state in the words of the console. */
export function StatePill({ state }: { state: string }) {
  const [tone, word] = STATES.get(state) ?? ['neutral', state];
  return <Pill tone={tone}>{say(word)}</Pill>;
}

export function Managed() {
  return (
    <span
      className="pill neutral"
      title={say('The configuration file describes it; apply overwrites what is changed here')}
    >
      {say('configured')}
    </span>
  );
}

/** Replaces an empty list, and says what to do first. */
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

/** Something to know before deciding: what trusted means, what a change breaks. */
export function Callout({
  tone = 'waiting',
  landing,
  children,
}: {
  tone?: 'waiting' | 'refused' | 'good';
  /** its id: an address with this fragment scrolls to it and focuses it */
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
