import { Name } from '#app/_components/name.tsx';
import type { EndingSoon } from '#lib/management/index.ts';
import { path } from '../_forms/form.ts';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { List, Row } from '../_ui/list.tsx';
import { Panel, Pill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

const KEYS: Record<
  EndingSoon['keys'][number]['what'],
  { tone: 'waiting' | 'refused' | 'neutral'; word: string; text: string }
> = {
  begins: { tone: 'neutral', word: toSay('signs next'), text: toSay('It begins to sign {time}.') },
  leaves: {
    tone: 'neutral',
    word: toSay('leaves'),
    text: toSay('Its last token ends, and it leaves the JWKS, {time}.'),
  },
  replaced: { tone: 'waiting', word: toSay('by itself'), text: toSay('A new key takes over {time}.') },
  overdue: {
    tone: 'refused',
    word: toSay('overdue'),
    text: toSay(
      'A new key was to take over, which the clean-up does by itself: see that it runs. It was due {time}.',
    ),
  },
};

export function Ending({ ending: { secrets, keys } }: { ending: EndingSoon }) {
  return (
    <Panel
      id="ending"
      heading={say('Ends soon')}
      lead={say('Signing keys and secrets of clients that end within two weeks.')}
    >
      {secrets.length + keys.length === 0 ? (
        <p>{say('Nothing does.')}</p>
      ) : (
        <List label={say('Ends soon')}>
          {secrets.map(({ clientId, clientName, expiresAt }) => (
            <Row
              key={`${clientId} ${expiresAt.getTime()}`}
              href={path('admin', 'clients', clientId)}
              title={<Name>{clientName}</Name>}
              pills={<Pill tone="waiting">{say('secret')}</Pill>}
            >
              <Say
                text="A secret that was rotated ends {time}: by then the client has to use its new one."
                values={{ time: <When at={expiresAt} /> }}
              />
            </Row>
          ))}
          {keys.map(({ kid, alg, at, what }) => {
            const { tone, word, text } = KEYS[what];
            return (
              <Row
                key={kid}
                href={path('admin', 'keys')}
                title={say('Signing key {algorithm}', { algorithm: alg })}
                pills={<Pill tone={tone}>{say(word)}</Pill>}
              >
                <Say text={text} values={{ time: <When at={at} /> }} /> <code>{kid.slice(0, 12)}…</code>
              </Row>
            );
          })}
        </List>
      )}
    </Panel>
  );
}
