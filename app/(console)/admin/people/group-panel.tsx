// The groups of a person, by what they are in each, and the forms that put them in and take them out by hand.
import { groupPath } from '#app/(console)/_registry/group-forms.ts';
import { OriginPills } from '#app/(console)/_registry/visit-group.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { SelectField } from '#app/(console)/_ui/select-field.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import type { Visit } from '#app/(console)/_visit/visit.tsx';
import { listGroupNames } from '#lib/management/groups/groups.ts';
import { listPersonGroups } from '#lib/management/groups/members.ts';
import type { PersonGroupRow } from '#lib/registry/objects/group.ts';

type Props = Pick<Visit, 'actor' | 'form' | 'typed'> & { personId: string };

export async function GroupPanel({ actor, form, typed, personId: person }: Props) {
  const [groups, all] = await Promise.all([listPersonGroups(actor, { id: person }), listGroupNames(actor)]);
  const byHand = groups.filter(({ origins }) => origins.includes('')).map(({ group }) => group);
  const others = all.filter(({ id }) => !byHand.includes(id));
  return (
    <Panel
      id="groups"
      heading={say('Groups')}
      lead={groups.length === 0 ? say('They are in no group.') : undefined}
    >
      {groups.length > 0 && (
        <List label={say('Groups')}>
          {groups.map((row) => (
            <GroupRow key={row.group} row={row} person={person} form={form} />
          ))}
        </List>
      )}
      {others.length > 0 && (
        <Form
          {...(await form('person-group-add'))}
          fields={{ person }}
          submit={say('Put them in')}
          tone="plain"
        >
          <SelectField
            name="id"
            label={say('Group')}
            hint={say('They stay in it whatever its rules say.')}
            value={typed('person-group-add').one('id', others[0]?.id)}
            groups={[['', others.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const)]]}
          />
        </Form>
      )}
      {all.length === 0 && (
        <div className="form-actions">
          <a className="button plain" href="/admin/groups/new">
            {say('Add a group')}
          </a>
        </div>
      )}
    </Panel>
  );
}

type RowProps = { row: PersonGroupRow; person: string; form: Visit['form'] };

async function GroupRow({ row: { group, name, origins }, person, form }: RowProps) {
  const remove = { ...(await form('person-group-remove')), message: null };
  return (
    <Row
      href={groupPath(group)}
      title={<bdi>{name}</bdi>}
      pills={<OriginPills origins={origins} />}
      side={
        origins.includes('') && (
          <Form {...remove} className="inline" fields={{ id: group, person }}>
            <Submit tone="plain" of={name}>
              {say('Take out')}
            </Submit>
          </Form>
        )
      }
    >
      <code>{group}</code>
    </Row>
  );
}
