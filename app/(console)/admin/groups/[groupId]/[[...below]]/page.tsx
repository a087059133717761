// Pages about a group: its members with the source of their membership, its rules and its settings.
import type { ReactNode } from 'react';
import { Name } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { TextField } from '#app/(console)/_kit/fields.tsx';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { Dots, List, Pager, pagesOf, Row, Search } from '#app/(console)/_kit/list.tsx';
import { untitled } from '#app/(console)/_kit/page-language.ts';
import { Callout, Fact, Facts, Panel } from '#app/(console)/_kit/pieces.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { GroupFields, memberCount, OriginKinds } from '#app/(console)/_subjects/group-fields.tsx';
import { groupOfForm, groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { ask, DeletePanel, renderEdit } from '#app/(console)/_subjects/object-forms.tsx';
import { type ObjectVisit, objectPages } from '#app/(console)/_subjects/object-page.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { GroupMemberRow, GroupRow, GroupRule } from '#lib/catalogue/groups/definition.ts';
import {
  listGroupUses,
  pageGroupMembers,
  previewGroupChange,
  readGroup,
} from '#lib/catalogue/groups/operations.ts';
import { hasSignInName } from '#lib/catalogue/people/definition.ts';
import { enter } from '#lib/management/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const metadata = untitled;

export default objectPages<GroupRow>({
  area: 'admin',
  param: 'groupId',
  kind: toSay('Group'),
  here: '/admin/groups',
  list: () => ({ href: '/admin/groups', label: say('Groups') }),
  path: groupPath,
  read: (actor, id) => readGroup(actor, { id }),
  head: ({ id, name, managed }) => ({ name, lead: <code>{id}</code>, managed }),
  pages: {
    '': {
      label: toSay('Overview'),
      tab: true,
      render: async (group, visit) => {
        const page = await membersShown(visit, group.id);
        return (
          <>
            <MemberPanel group={group} page={page} {...visit} />
            <RulePanel rules={group.from} />
            <UsePanel actor={visit.actor} id={group.id} />
          </>
        );
      },
    },
    edit: { label: toSay('Settings'), tab: true, anchors: ['ending'], render: renderSettings },
    delete: { label: toSay('Delete group'), render: renderDelete },
  },
});

async function renderSettings(group: GroupRow, visit: ObjectVisit): Promise<ReactNode> {
  const { actor } = visit;
  await enter(actor, { action: 'groups.manage' });
  const { id, version, apis } = group;
  return (
    <>
      {
        await renderEdit(visit, 'group-change', {
          fields: { id, version },
          leave: groupPath(id),
          preview: ({ typed }) => previewGroupChange(actor, { ...groupOfForm(typed), id }),
          children: (typed) => <GroupFields actor={actor} typed={typed} stored={group} isNew={false} />,
        })
      }
      {apis.length === 0 ? (
        <DeletePanel
          lead={say('The group’s rules and its list of people are deleted as well. The people stay.')}
          href={groupPath(id, 'delete')}
          label={say('Delete group…')}
        />
      ) : (
        <Panel id="ending" heading={say('Delete')} lead={say('Cannot be deleted while an API uses it.')} />
      )}
    </>
  );
}

async function renderDelete(group: GroupRow, visit: ObjectVisit): Promise<ReactNode> {
  await enter(visit.actor, { action: 'groups.manage' });
  const { id, name, version, apis } = group;
  if (apis.length === 0)
    return ask(visit, 'group-delete', {
      fields: { id, version },
      of: plainText(name),
      leave: groupPath(id, 'edit'),
    });
  return (
    <>
      <Callout>
        <p>
          {say('Used by APIs: {apis}. Remove the group from these APIs first.', { apis: apis.join(', ') })}
        </p>
      </Callout>
      <UsePanel actor={visit.actor} id={id} />
    </>
  );
}

function RulePanel({ rules }: { rules: readonly GroupRule[] }) {
  return (
    <Panel
      id="rules"
      heading={say('Rules')}
      lead={
        rules.length === 0
          ? say('None: people are only added manually.')
          : say(
              'At each sign-in with the method, people with one of the values are added, and people without any of them are removed.',
            )
      }
    >
      {rules.length > 0 && (
        <Facts>
          {rules.map(({ auth_method: method, claim, values }) => (
            <Fact
              key={`${method} ${claim} ${values[0]}`}
              name={
                <>
                  <a href={`/admin/auth-methods/${encodeURIComponent(method)}`}>{method}</a>{' '}
                  <code>{claim}</code>
                </>
              }
            >
              {values.map((value) => (
                <div key={value}>
                  <code>{value}</code>
                </div>
              ))}
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}

/** Places where APIs name the group. */
async function UsePanel({ actor, id }: { actor: Actor; id: string }) {
  const uses = await listGroupUses(actor, { id });
  return (
    <Panel
      id="uses"
      heading={say('Purpose')}
      lead={
        uses.length === 0
          ? say('No API uses this group, so the group has no effect yet. Edit an API to add the group.')
          : undefined
      }
    >
      {uses.length > 0 && (
        <List label={say('Purpose')}>
          {uses.map(({ api, apiName, whole, scopes, roles }) => (
            <Row key={api} href={path('admin', 'apis', api)} title={<Name>{apiName}</Name>}>
              <Dots>
                {whole && say('only for its groups')}
                {scopes.length > 0 &&
                  say('{count, plural, one {scope} other {scopes}} {names}', {
                    count: scopes.length,
                    names: scopes.join(', '),
                  })}
                {roles.length > 0 &&
                  say('{count, plural, one {role} other {roles}} {names}', {
                    count: roles.length,
                    names: roles.join(', '),
                  })}
              </Dots>
            </Row>
          ))}
        </List>
      )}
    </Panel>
  );
}

/**
 * Reads the members to show. It runs before rendering, because an invalid cursor must be rejected before the page
 * starts. Shows the first page if the requested page has no rows left.
 */
async function membersShown({ actor, query }: Pick<Visit, 'actor' | 'query'>, id: string) {
  const { search = '', cursor = '' } = query;
  const page = await pageGroupMembers(actor, { id, search, cursor });
  return cursor !== '' && page.rows.length === 0 ? pageGroupMembers(actor, { id, search }) : page;
}

type Props = Pick<Visit, 'query' | 'form' | 'typed'> & {
  group: GroupRow;
  page: Awaited<ReturnType<typeof membersShown>>;
};

async function MemberPanel({ group, page, query, form, typed }: Props) {
  const { search = '', cursor = '' } = query;
  const { id, members } = group;
  const isWhole = page.next === null && page.previous === null;
  const here = groupPath(id);
  return (
    <Panel id="people" heading={say('People')} aside={<span className="soft">{memberCount(group)}</span>}>
      {(members > 1 || search !== '') && (
        <Search action={here} search={search} placeholder={say('Name or email')} />
      )}
      {page.rows.length === 0 ? (
        <p className="soft nothing">{search === '' ? say('No members yet.') : say('No matching members.')}</p>
      ) : (
        <Members
          rows={isWhole ? page.rows.toSorted(byName) : page.rows}
          fields={{ id, search, cursor }}
          form={form}
        />
      )}
      <Pager path={here} query={{ search, cursor }} {...pagesOf(page)} />
      <Form {...(await form('group-member-add'))} fields={{ id }} submit={say('Add to group')} tone="plain">
        <TextField
          name="person"
          label={say('Person')}
          hint={say(
            'The email address or username of the account, or the person’s id. Rules do not remove people who were added manually.',
          )}
          value={typed('group-member-add').one('person')}
          autoComplete="off"
        />
      </Form>
    </Panel>
  );
}

const nameOf = ({ name, email, username }: GroupMemberRow) => name || email || username || '';
/** Sorts the list by name if it has a single page. A list with several pages is ordered by id. */
const byName = (member: GroupMemberRow, other: GroupMemberRow) => nameOf(member).localeCompare(nameOf(other));

type MembersProps = {
  rows: GroupMemberRow[];
  fields: Readonly<Record<'id' | 'search' | 'cursor', string>>;
  form: Visit['form'];
};

async function Members({ rows, fields, form }: MembersProps) {
  const remove = { ...(await form('group-member-remove')), message: null };
  return (
    <List label={say('People')}>
      {rows.map((row) => {
        const name = nameOf(row) || say('No name');
        return (
          <Row
            key={row.personId}
            href={path('admin', 'people', row.personId)}
            title={<Name>{name}</Name>}
            pills={<OriginKinds origins={row.origins} />}
            side={
              row.origins.includes('') && (
                <Form {...remove} className="inline" fields={{ ...fields, person: row.personId }}>
                  <Submit tone="plain" of={name}>
                    {say('Remove from group')}
                  </Submit>
                </Form>
              )
            }
          >
            {hasSignInName(row) ? (
              <bdi>{row.email ?? row.username}</bdi>
            ) : (
              say('Signs in with another method')
            )}
          </Row>
        );
      })}
    </List>
  );
}
