import { Name } from '#app/_components/name.tsx';
import type { EndingSoon } from '#lib/management/index.ts';
import { path } from '../_forms/form.ts';
import { say } from '../_texts/say.tsx';
import { List, Row } from '../_ui/list.tsx';
import { Panel, Pill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

const KEYS: Record<
  EndingSoon['keys'][number]['what'],
  [tone: 'waiting' | 'refused' | 'neutral', word: string, text: string]
> = {
  begins: ['neutral', 'signs next', 'It begins to sign'],
  leaves: ['neutral', 'leaves', 'Its last token ends, and it leaves the JWKS,'],
  replaced: ['waiting', 'by itself', 'A new key takes over'],
  overdue: [
    'refused',
    'overdue',
    'A new key was to take over, which the clean-up does by itself: see that it runs. It was due',
  ],
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
              A secret that was rotated ends <When at={expiresAt} />: by then the client has to use its new
              one.
            </Row>
          ))}
          {keys.map(({ kid, alg, at, what }) => {
            const [tone, word, text] = KEYS[what];
            return (
              <Row
                key={kid}
                href={path('admin', 'keys')}
                title={<>Signing key {alg}</>}
                pills={<Pill tone={tone}>{word}</Pill>}
              >
                {text} <When at={at} />. <code>{kid.slice(0, 12)}…</code>
              </Row>
            );
          })}
        </List>
      )}
    </Panel>
  );
}
