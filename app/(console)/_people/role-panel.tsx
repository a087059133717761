import { type PersonView, ROLES } from '#lib/management/index.ts';
import { Form } from '../_ui/form.tsx';
import { List, Row } from '../_ui/list.tsx';
import { Panel, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormStart } from '../_visit/start-form.ts';
import { ROLE_WORDS } from './roles.ts';

export function Roles({
  person,
  grant,
  revoke,
}: {
  person: PersonView;
  grant: FormStart;
  revoke: FormStart;
}) {
  const message = grant.message ?? revoke.message;
  const quiet = (start: FormStart) => ({ ...start, message: null });
  return (
    <Panel id="roles" heading="Roles" lead="Each change counts at once, also where they are signed in.">
      {message && (
        <p className="alert" role="alert">
          {message}
        </p>
      )}
      <List label="Roles">
        {ROLES.map((role) => {
          const held = person.roles.includes(role);
          return (
            <Row
              key={role}
              title={role}
              pills={held && <Pill tone="good">held</Pill>}
              side={
                <Form {...quiet(held ? revoke : grant)} className="inline">
                  <input type="hidden" name="id" value={person.id} />
                  <input type="hidden" name="role" value={role} />
                  <Submit tone={held ? 'danger' : 'plain'} of={`the role ${role}`}>
                    {held ? 'Take back' : 'Grant'}
                  </Submit>
                </Form>
              }
            >
              {ROLE_WORDS[role]}
            </Row>
          );
        })}
      </List>
    </Panel>
  );
}
