// A row in the list of users, and details of an invitation.
import { Name } from '#app/_components/pieces.tsx';
import { Row } from '#app/(console)/_kit/list.tsx';
import { Kind, Managed, Pill, Time, Times, When } from '#app/(console)/_kit/pieces.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { hasSignInName, type InvitationRow, type PersonRow } from '#lib/catalogue/people/definition.ts';
import { personPath } from '../forms.ts';

const FACTOR_WORDS = toSay({ passkey: 'passkey', totp: 'app' });

export function PersonItem({ row }: { row: PersonRow }) {
  return (
    <Row
      href={personPath(row.id)}
      title={<Name>{row.name || row.email || row.username || say('No name')}</Name>}
      pills={
        <>
          {row.roles.map((role) => (
            <Kind key={role}>{role}</Kind>
          ))}
          {row.factors.map((factor) => (
            <Kind key={factor}>{say(FACTOR_WORDS[factor])}</Kind>
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
      {hasSignInName(row) ? <bdi>{row.email ?? row.username}</bdi> : say('Signs in with another method')}
    </Row>
  );
}

/** Details of an invitation besides its address: the inviting user types them, and the invited user sees them. */
export function InvitationFacts({ of }: { of: InvitationRow }) {
  const { name, authMethodId, invitedByEmail, createdAt, expiresAt } = of;
  const values = {
    method: <code>{authMethodId}</code>,
    time: <When at={createdAt} />,
    until: <When at={expiresAt} />,
  };
  return (
    <>
      {name !== '' && (
        <>
          <bdi>{name}</bdi> ·{' '}
        </>
      )}
      {invitedByEmail === null ? (
        <Say text="{method} · {time} · until {until}" values={values} />
      ) : (
        <Say
          text="{method} · by {who} {time} · until {until}"
          values={{ ...values, who: <bdi>{invitedByEmail}</bdi> }}
        />
      )}
    </>
  );
}
