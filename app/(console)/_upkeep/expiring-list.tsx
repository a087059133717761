// What ends by itself, each with the page where it is seen to.
import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import type { Expiring } from '#lib/management/upkeep/expiring.ts';
import { type Area, path } from '../_forms/form.ts';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { List, Row } from '../_ui/list.tsx';
import { Pill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

type KeyWhat = Extract<Expiring, { kind: 'key' }>['what'];
type Tone = 'waiting' | 'refused' | 'neutral';
type Told = { href: string; title: ReactNode; tone?: Tone; word: string; text: ReactNode };

const KEYS: Record<KeyWhat, [word: string, text: string]> = toSay({
  begins: ['signs next', 'It begins to sign.'],
  leaves: ['leaves', 'Its last token ends, and it leaves the JWKS.'],
  replaced: ['by itself', 'A new key takes over by itself.'],
  overdue: ['overdue', 'A new key was to take over, which the maintenance does: see that it runs.'],
});

function told(one: Expiring, area: Area): Told {
  switch (one.kind) {
    case 'secret':
      return {
        href: path(area, 'clients', one.clientId),
        title: <Name>{one.clientName}</Name>,
        tone: 'waiting',
        word: say('secret'),
        text: say('A secret that was rotated ends. By then the application has to use its new one.'),
      };
    case 'delegations':
      return {
        href: path(area, 'clients', one.clientId),
        title: <Name>{one.clientName}</Name>,
        word: say('{count, plural, one {# delegation} other {# delegations}}', { count: one.count }),
        text: (
          <Say
            text="People let it act for them at {api} until then."
            values={{ api: <Name>{one.apiName}</Name> }}
          />
        ),
      };
    case 'allowances':
      return {
        href: path(area, 'clients', one.clientId),
        title: <Name>{one.clientName}</Name>,
        word: say('{count, plural, one {# consent} other {# consents}}', { count: one.count }),
        text: (
          <Say
            text="The approval for {api} limits how long these last. People are asked again."
            values={{ api: <Name>{one.apiName}</Name> }}
          />
        ),
      };
    case 'invitations':
      return {
        href: '/admin/people/invitations',
        title: <Name>{one.methodName}</Name>,
        tone: 'waiting',
        word: say('{count, plural, one {# invitation} other {# invitations}}', { count: one.count }),
        text: say('Who still wants to come needs another one.'),
      };
    case 'registrations':
      return {
        href: '/admin/approvals',
        title: <Name>{one.methodName}</Name>,
        tone: 'waiting',
        word: say('{count, plural, one {# request} other {# requests}}', { count: one.count }),
        text: say('People who asked for an account, and wait for an approval.'),
      };
    case 'key': {
      const [word, text] = KEYS[one.what];
      return {
        href: '/admin/keys',
        title: say('Signing key {alg}', { alg: one.alg }),
        tone: one.what === 'overdue' ? 'refused' : 'neutral',
        word: say(word),
        text: (
          <>
            {say(text)} <code>{one.kid.slice(0, 12)}…</code>
          </>
        ),
      };
    }
    case 'trust-anchor':
      return {
        href: '/documentation/guides/operations#what-expires',
        title: <Name>{one.name}</Name>,
        tone: 'waiting',
        word: say('certificate'),
        text: (
          <Say
            text="{setting} names it as an authority. Put its successor into that file before."
            values={{ setting: <code>{one.setting}</code> }}
          />
        ),
      };
  }
}

type ExpiringListProps = { rows: readonly Expiring[]; area: Area; none: string };

export function ExpiringList({ rows, area, none }: ExpiringListProps) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <List label={say('What expires')}>
      {rows.map((one) => {
        const { href, title, tone = 'neutral', word, text } = told(one, area);
        return (
          <Row
            key={one.id}
            href={href}
            title={title}
            pills={<Pill tone={tone}>{word}</Pill>}
            side={<When at={one.at} />}
          >
            {text}
          </Row>
        );
      })}
    </List>
  );
}
