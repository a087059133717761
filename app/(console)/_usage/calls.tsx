import { Name } from '#app/_components/name.tsx';
import type { Usage } from '#lib/management/service/usage.ts';
import { path } from '../_forms/form.ts';
import { say } from '../_texts/say.tsx';
import { List, Row } from '../_ui/list.tsx';
import { Pill } from '../_ui/pieces.tsx';
import { took } from './words.ts';

type Call = Usage['calls'][number];

/** Milliseconds; a person notices that they wait. */
const SLOW = 1_000;

export function Calls({ calls }: { calls: Usage['calls'] }) {
  if (calls.length === 0)
    return (
      <p className="soft">
        {say('None was asked in this time. Passwords of our own store need nobody else.')}
      </p>
    );
  return (
    <List label={say('Verifiers and brokers')}>
      {calls.map((call) => (
        <Row
          key={call.authMethodId}
          title={
            call.name === null ? (
              say('All the others')
            ) : (
              <a href={path('admin', 'auth-methods', call.authMethodId)}>
                <Name>{call.name}</Name>
              </a>
            )
          }
          pills={<State call={call} />}
        >
          {inWords(call)}
        </Row>
      ))}
    </List>
  );
}

const isSlow = ({ answered, most }: Call) => answered > 0 && (most === null || most > SLOW);

function State({ call }: { call: Call }) {
  return (
    <>
      {call.failed > 0 && (
        <Pill tone="refused">
          {say('{count, plural, other {# without an answer}}', { count: call.failed })}
        </Pill>
      )}
      {isSlow(call) && <Pill tone="waiting">{say('slow')}</Pill>}
      {call.failed === 0 && !isSlow(call) && <Pill tone="good">{say('answers')}</Pill>}
    </>
  );
}

function inWords({ answered, half, most, longest }: Call): string {
  const worst = say('The longest call took {time}.', { time: took(longest) });
  if (answered === 0) return `${say('It answered nothing.')} ${worst}`;
  const within = (limit: number | null) =>
    limit === null ? say('longer than 5\u00a0s') : say('at most {time}', { time: took(limit) });
  const answers = say(
    '{count, plural, one {# answer} other {# answers}}: half took {half}, 95\u00a0% {most}.',
    { count: answered, half: within(half), most: within(most) },
  );
  return `${answers} ${worst}`;
}
