import { Form } from '#app/(console)/_kit/form.tsx';
import { List, Row } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Kind, Panel, Pill, Title, When } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { listSigningKeys } from '#lib/management/keys.ts';
import type { KeyRow } from '#lib/registry/keys.ts';
import { retirePath } from '../forms.ts';

export const generateMetadata = pageTitle('Keys');

const STATES: Record<KeyRow['state'], [tone: 'good' | 'waiting' | 'neutral' | 'refused', word: string]> = {
  signs: ['good', toSay('signs now')],
  next: ['waiting', toSay('signs next')],
  verifies: ['neutral', toSay('verifies')],
  expired: ['neutral', toSay('expired')],
  retired: ['refused', toSay('retired')],
};
const DEAD = new Set<KeyRow['state']>(['expired', toSay('retired')]);

export default consolePage('/admin/keys', async ({ actor, form }) => {
  const keys = await listSigningKeys(actor);
  return (
    <>
      <Title lead={say('The keys that sign tokens. APIs fetch the public keys automatically.')}>
        {say('Keys')}
      </Title>
      {keys.length > 0 && <Rotate start={await form('keys-rotate')} />}
      <Panel id="keys" heading={say('All keys')}>
        {keys.length === 0 ? (
          <p>{say('None yet. The first key is created when a token has to be signed.')}</p>
        ) : (
          <List label={say('Keys')}>
            {keys.map((key) => (
              <KeyItem key={key.kid} listed={key} />
            ))}
          </List>
        )}
      </Panel>
    </>
  );
});

function Rotate({ start }: { start: FormStart }) {
  return (
    <Panel
      id="rotate"
      heading={say('Rotate')}
      lead={say(
        'Keys rotate automatically. You can also rotate safely now: the new key is published first, and signs once every API can know it. Tokens signed by the old key stay valid until they expire. Rotating requires a sign-in in the last 15 minutes.',
      )}
    >
      <Form {...start} submit={say('Rotate keys')} tone="plain" />
    </Panel>
  );
}

function KeyItem({ listed }: { listed: KeyRow }) {
  const { kid, alg, state, signsFrom, retiresAt } = listed;
  const [tone, word] = STATES[state];
  return (
    <Row
      title={<code>{kid}</code>}
      pills={
        <>
          <Pill tone={tone}>{say(word)}</Pill>
          <Kind>{alg}</Kind>
        </>
      }
      side={
        !DEAD.has(state) && (
          <a className="button danger" href={retirePath(kid)}>
            {say('Retire key…')}
            <span className="unseen"> {kid}</span>
          </a>
        )
      }
    >
      <Say
        text={state === 'next' ? 'Starts signing {time}' : 'Started signing {time}'}
        values={{ time: <When at={signsFrom} /> }}
      />
      {retiresAt && (
        <>
          {', '}
          <Say
            text={DEAD.has(state) ? 'verified tokens until {time}' : 'verifies tokens until {time}'}
            values={{ time: <When at={retiresAt} /> }}
          />
        </>
      )}
    </Row>
  );
}
