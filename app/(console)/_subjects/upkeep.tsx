// Upkeep of the installation: checklists for the first day, and items that expire.
import type { ReactNode } from 'react';
import { Name } from '#app/_components/pieces.tsx';
import {
  type FirstToken as Asked,
  type Expiring,
  type FirstDayStep,
  type FirstTokenStep,
  readFirstDay,
  readFirstToken,
} from '#lib/management/upkeep.ts';
import { type Area, path } from '../_kit/console-form.ts';
import { Form, Submit } from '../_kit/form.tsx';
import { List, Row } from '../_kit/list.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Panel, Pill, When } from '../_kit/pieces.tsx';
import type { Visit } from '../_kit/visit.tsx';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

export type ChecklistItem = {
  step: string;
  title: string;
  text: ReactNode;
  href: string;
  done: boolean;
  /** remark next to the step: it waits for another user, or a user marked it as done */
  aside?: string;
  /** form that marks the step as done, or removes the mark */
  mark?: { start: FormStart; done: boolean; label: string };
};

type ChecklistProps = {
  lead: string;
  items: readonly ChecklistItem[];
  /** name of the list: `service` or `own` */
  list: string;
  away: FormStart;
};

function Checklist({ lead, items, list, away }: ChecklistProps) {
  const done = items.filter((item) => item.done).length;
  return (
    <Panel
      id="first-day"
      heading={say('The first day')}
      lead={lead}
      aside={<span className="soft">{say('{done} of {all} done', { done, all: items.length })}</span>}
    >
      <progress
        className="checklist-bar"
        max={items.length}
        value={done}
        aria-label={say('Completed steps')}
      />
      <ol className="checklist">
        {items.map((item) => (
          <Line key={item.step} {...item} />
        ))}
      </ol>
      <Form {...away} className="inline">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="away" value="yes" />
        <Submit tone="link">{say('Hide this list')}</Submit>
      </Form>
    </Panel>
  );
}

function Line({ step, title, text, href, done, aside, mark }: ChecklistItem) {
  return (
    <li className={done ? 'done' : undefined}>
      <span className="checklist-mark" aria-hidden="true">
        {done ? '✓' : ''}
      </span>
      <div className="checklist-text">
        <p>
          <a href={href}>{title}</a>
          <span className="unseen">{done ? say('(done)') : say('(to do)')}</span>
          {aside && <span className="soft"> {aside}</span>}
        </p>
        {!done && <div className="soft">{text}</div>}
      </div>
      {mark && (
        <Form {...mark.start} className="inline">
          <input type="hidden" name="step" value={step} />
          <input type="hidden" name="done" value={mark.done ? 'yes' : ''} />
          <Submit tone="link" of={title}>
            {mark.label}
          </Submit>
        </Form>
      )}
    </li>
  );
}

/** Button that shows a hidden checklist again. */
export function BringBack({ list, start }: { list: string; start: FormStart }) {
  return (
    <Form {...start} className="inline">
      <input type="hidden" name="list" value={list} />
      <Submit tone="link">{say('Show the first-day list again')}</Submit>
    </Form>
  );
}

// Shows a message of `gatehouse doctor`, in English as on the command line. Guides that the message mentions become
// links.

const GUIDE = /\bdocs\/[\w/-]+\/([\w-]+)\.md(#[\w-]+)?/;

export function Finding({ children }: { children: string }) {
  const [file = '', name, fragment = ''] = GUIDE.exec(children) ?? [];
  if (name === undefined) return <span lang="en">{children}</span>;
  const [before = '', after = ''] = children.split(file);
  return (
    <span lang="en">
      {before}
      <a href={`/documentation/guides/${name}${fragment}`}>{name}</a>
      {after}
    </span>
  );
}

// Checklist for the operator. This module contains the texts of its steps; the operation determines which steps are
// done.

type StepWords = { title: string; text: string; say?: string };

const TOLD: Record<FirstDayStep['step'], StepWords> = toSay({
  address: {
    title: 'An address with TLS',
    text: 'Set BASE_URL to the https address that people and applications use.',
  },
  mail: {
    title: 'A mail server',
    text: 'Set SMTP_URL, send yourself a test message, and confirm here that it arrived.',
    say: 'Message arrived',
  },
  role: {
    title: 'A separate database role',
    text: 'With this role the service can change neither the schema nor existing audit log entries.',
    say: 'Not needed here',
  },
  backup: {
    title: 'A backup and a tested restore',
    text: 'Keep GATEHOUSE_SECRET with the backup: without it, encrypted values are lost.',
    say: 'Done',
  },
  'second-factor': {
    title: 'A second factor for every administrator',
    text: 'Each administrator sets up a second factor on the account page.',
  },
  method: {
    title: 'A sign-in method',
    text: 'How people prove who they are: passwords stored by Gatehouse, your service, or a broker.',
  },
  api: {
    title: 'An API that people sign in for',
    text: 'The service that tokens are issued for. It lists the sign-in methods that it accepts.',
  },
  client: { title: 'A client', text: 'The first application that requests tokens.' },
  metrics: {
    title: 'Metrics',
    text: 'Set METRICS_PORT or METRICS_TOKEN, and make sure that alerts reach a person.',
    say: 'Not needed here',
  },
});

const guide = (name: string) => `/documentation/guides/${name}`;
const PLACES: Record<FirstDayStep['step'], string> = {
  address: guide('deploy-node'),
  mail: '/admin/connections',
  role: guide('audit'),
  backup: guide('database#restore'),
  'second-factor': '/account/security',
  method: '/admin/auth-methods',
  api: '/admin/apis',
  client: '/admin/clients/new',
  metrics: guide('monitor#metrics'),
};

/** Shows nothing if every step is done, or if this user has hidden the list. */
export async function FirstDay({ actor, form }: Visit) {
  const { steps, complete, away } = await readFirstDay(actor);
  if (complete || away) return null;
  const items = await Promise.all(
    steps.map(async ({ step, done, said, sayable, found }): Promise<ChecklistItem> => {
      const { title, text, say: saying = '' } = TOLD[step];
      const mark = sayable || said ? { start: await form('first-day'), done: sayable } : null;
      return {
        step,
        title: say(title),
        href: PLACES[step],
        done,
        text: (
          <>
            <p>{say(text)}</p>
            {found && (
              <p>
                <Finding>{found}</Finding>
              </p>
            )}
          </>
        ),
        ...(said && { aside: say('confirmed by an administrator') }),
        ...(mark && { mark: { ...mark, label: sayable ? say(saying) : say('Mark as not done') } }),
      };
    }),
  );
  return (
    <Checklist
      list="service"
      lead={say(
        'Requirements to meet before people rely on this service. Items are checked off automatically.',
      )}
      items={items}
      away={await form('checklist')}
    />
  );
}

// Checklist for a developer, computed from the developer's applications.

function wordsOfStep(
  step: FirstTokenStep['step'],
  { clientId }: Asked,
): Pick<ChecklistItem, 'title' | 'text' | 'href'> {
  const client = clientId === null ? '/developer/clients/new' : path('developer', 'clients', clientId);
  switch (step) {
    case 'client':
      return {
        title: say('An application'),
        text: say('Three questions: where the application runs, its name, and where people return to.'),
        href: '/developer/clients/new',
      };
    case 'api':
      return {
        title: say('An API that the application can request'),
        text: say('Choose an API from the catalogue and subscribe.'),
        href: '/developer/catalogue',
      };
    case 'token':
      return {
        title: say('A first token'),
        text: say(
          'The playground shows the whole exchange; the page Code shows it in your programming language.',
        ),
        href: clientId === null ? '/developer/playground' : `${client}/code`,
      };
    case 'https':
      return {
        title: say('A redirect address over https'),
        text: say(
          'Required before people use the application: codes that return over http can be intercepted.',
        ),
        href: clientId === null ? client : `${client}/edit`,
      };
    case 'second-factor':
      return {
        title: say('A second factor for yourself'),
        text: say('Anyone with access to your account controls your applications.'),
        href: '/account/security',
      };
  }
}

/** Shows nothing if every step is done. */
export async function FirstToken({ actor, form }: Visit) {
  const list = await readFirstToken(actor);
  if (list.complete) return null;
  const start = await form('checklist');
  if (list.away) return <BringBack list="own" start={start} />;
  return (
    <Checklist
      list="own"
      lead={say('All steps to an application that people use. Items are checked off automatically.')}
      items={list.steps.map(({ step, done, waits }) => ({
        ...wordsOfStep(step, list),
        step,
        done,
        ...(waits && { aside: say('requested: an approver decides') }),
      }))}
      away={start}
    />
  );
}

// Items that expire, each with a link to its page.

type KeyWhat = Extract<Expiring, { kind: 'key' }>['what'];
type Tone = 'waiting' | 'refused' | 'neutral';
type ExpiringLine = { href: string; title: ReactNode; tone?: Tone; word: string; text: ReactNode };

const KEYS: Record<KeyWhat, [word: string, text: string]> = toSay({
  begins: ['signs next', 'The key starts signing.'],
  leaves: ['leaves', 'The key’s last token expires, and the key leaves the JWKS.'],
  replaced: ['automatic', 'A new key takes over automatically.'],
  overdue: [
    'overdue',
    'A new key should already sign. Maintenance rotates the keys: make sure that maintenance runs.',
  ],
});

function expiringLineOf(expiring: Expiring, area: Area): ExpiringLine {
  switch (expiring.kind) {
    case 'secret':
      return {
        href: path(area, 'clients', expiring.clientId),
        title: <Name>{expiring.clientName}</Name>,
        tone: 'waiting',
        word: say('secret'),
        text: say('A rotated secret expires. By then the application must use its new secret.'),
      };
    case 'delegations':
      return {
        href: path(area, 'clients', expiring.clientId),
        title: <Name>{expiring.clientName}</Name>,
        word: say('{count, plural, one {# delegation} other {# delegations}}', { count: expiring.count }),
        text: (
          <Say
            text="Until then, people allow the application to act for them at {api}."
            values={{ api: <Name>{expiring.apiName}</Name> }}
          />
        ),
      };
    case 'allowances':
      return {
        href: path(area, 'clients', expiring.clientId),
        title: <Name>{expiring.clientName}</Name>,
        word: say('{count, plural, one {# consent} other {# consents}}', { count: expiring.count }),
        text: (
          <Say
            text="The approval for {api} limits the duration of these consents. When they expire, people are asked again."
            values={{ api: <Name>{expiring.apiName}</Name> }}
          />
        ),
      };
    case 'invitations':
      return {
        href: '/admin/people/invitations',
        title: <Name>{expiring.methodName}</Name>,
        tone: 'waiting',
        word: say('{count, plural, one {# invitation} other {# invitations}}', { count: expiring.count }),
        text: say('Anyone who still wants to join needs a new invitation.'),
      };
    case 'registrations':
      return {
        href: '/admin/approvals',
        title: <Name>{expiring.methodName}</Name>,
        tone: 'waiting',
        word: say('{count, plural, one {# request} other {# requests}}', { count: expiring.count }),
        text: say('People who requested an account and are waiting for approval.'),
      };
    case 'key': {
      const [word, text] = KEYS[expiring.what];
      return {
        href: '/admin/keys',
        title: say('Signing key {alg}', { alg: expiring.alg }),
        tone: expiring.what === 'overdue' ? 'refused' : 'neutral',
        word: say(word),
        text: (
          <>
            {say(text)} <code>{expiring.kid.slice(0, 12)}…</code>
          </>
        ),
      };
    }
    case 'trust-anchor':
      return {
        href: '/documentation/guides/run#what-expires',
        title: <Name>{expiring.name}</Name>,
        tone: 'waiting',
        word: say('certificate'),
        text: (
          <Say
            text="{setting} names this certificate as an authority. Add its successor to that file before the certificate expires."
            values={{ setting: <code>{expiring.setting}</code> }}
          />
        ),
      };
  }
}

type ExpiringListProps = { rows: readonly Expiring[]; area: Area; none: string };

export function ExpiringList({ rows, area, none }: ExpiringListProps) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <List label={say('Expiring items')}>
      {rows.map((row) => {
        const { href, title, tone = 'neutral', word, text } = expiringLineOf(row, area);
        return (
          <Row
            key={row.id}
            href={href}
            title={title}
            pills={<Pill tone={tone}>{word}</Pill>}
            side={<When at={row.at} />}
          >
            {text}
          </Row>
        );
      })}
    </List>
  );
}
