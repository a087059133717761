import { say } from '#app/(console)/_texts/say.tsx';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { ROLE_WORDS, ROLES } from '#lib/registry/objects/person.ts';
import type { PersonView } from '#lib/store/people/people.ts';
import { personPath } from './forms.ts';

export function RolePanel({ person }: { person: PersonView }) {
  return (
    <Panel
      id="roles"
      heading={say('Roles')}
      lead={say('Changing one takes a sign-in of the last 15 minutes.')}
    >
      <List label={say('Roles')}>
        {ROLES.map((role) => {
          const has = person.roles.includes(role);
          return (
            <Row
              key={role}
              title={say(ROLE_WORDS[role].label)}
              pills={has && <Pill tone="good">{say('has it')}</Pill>}
              side={
                <a
                  className={has ? 'button danger' : 'button plain'}
                  href={personPath(person.id, `${has ? 'revoke' : 'grant'}-${role}`)}
                >
                  {has ? say('Take it back…') : say('Grant…')}
                  <span className="unseen"> {say('the role {role}', { role })}</span>
                </a>
              }
            >
              {say(ROLE_WORDS[role].note)}
            </Row>
          );
        })}
      </List>
    </Panel>
  );
}
