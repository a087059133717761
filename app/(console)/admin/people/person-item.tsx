// A person in the list of people.
import { Name } from '#app/_components/name.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { Row } from '#app/(console)/_ui/list.tsx';
import { Managed, Pill } from '#app/(console)/_ui/pieces.tsx';
import { Time, Times } from '#app/(console)/_ui/times.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import { hasSignInName, type PersonRow } from '#lib/registry/objects/person.ts';
import { personPath } from './forms.ts';

const FACTOR_WORDS = toSay({ passkey: 'passkey', totp: 'app' });

export function PersonItem({ row }: { row: PersonRow }) {
  return (
    <Row
      href={personPath(row.id)}
      title={<Name>{row.name || row.email || row.username || say('No name')}</Name>}
      pills={
        <>
          {row.roles.map((role) => (
            <Pill key={role} tone="neutral">
              {role}
            </Pill>
          ))}
          {row.factors.map((factor) => (
            <Pill key={factor} tone="good">
              {say(FACTOR_WORDS[factor])}
            </Pill>
          ))}
          {row.disabled && <Pill tone="refused">{say('disabled')}</Pill>}
          {row.managed && <Managed />}
        </>
      }
      side={
        <Times>
          <Time name={say('Signed in')}>
            <When at={row.lastSignInAt} />
          </Time>
          <Time name={say('Created')}>
            <When at={row.createdAt} />
          </Time>
        </Times>
      }
    >
      {hasSignInName(row) ? <bdi>{row.email ?? row.username}</bdi> : say('Signs in elsewhere')}
    </Row>
  );
}
