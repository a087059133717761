import { Form } from '#app/(console)/_ui/form.tsx';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import type { FormStart } from '#app/(console)/_visit/start-form.ts';
import type { PersonView } from '#lib/management/index.ts';
import { ROLES } from '#lib/registry/index.ts';
import { ROLE_WORDS } from './roles.ts';

export function RolePanel({ person, roles }: { person: PersonView; roles: FormStart }) {
  return (
    <Panel id="roles" heading="Roles" lead="Changing one takes a sign-in of the last 15 minutes.">
      <Form {...roles} className="form wide" fields={{ id: person.id }}>
        <List label="Roles">
          {ROLES.map((role) => {
            const has = person.roles.includes(role);
            return (
              <Row
                key={role}
                title={ROLE_WORDS[role].label}
                pills={has && <Pill tone="good">has it</Pill>}
                side={
                  <Submit
                    tone={has ? 'danger' : 'plain'}
                    name={has ? 'revoke' : 'grant'}
                    value={role}
                    of={`the role ${role}`}
                  >
                    {has ? 'Take it back' : 'Grant'}
                  </Submit>
                }
              >
                {ROLE_WORDS[role].note}
              </Row>
            );
          })}
        </List>
      </Form>
    </Panel>
  );
}
