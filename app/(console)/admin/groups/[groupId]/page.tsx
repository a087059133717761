// Page of a group: members with the source of their membership, and forms that add or remove manual members.

import { Name } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { TextField } from '#app/(console)/_kit/fields.tsx';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { List, Pager, pagesOf, Row, Search } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Panel } from '#app/(console)/_kit/pieces.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import {
  memberCount,
  OriginPills,
  pageAboutGroup,
  UsePanel,
} from '#app/(console)/_subjects/object-pages.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageGroupMembers } from '#lib/management/groups.ts';
import type { GroupMemberRow, GroupRow, GroupRule } from '#lib/registry/group.ts';
import { hasSignInName } from '#lib/registry/person.ts';

export const generateMetadata = pageTitle('Group');

export default pageAboutGroup(null, async ({ group, ...visited }) => {
  const page = await membersShown(visited, group.id);
  return (
    <>
      <MemberPanel group={group} page={page} {...visited} />
      <RulePanel rules={group.from} />
      <UsePanel actor={visited.actor} id={group.id} />
      <Panel
        id="ending"
        heading={say('Delete')}
        lead={
          group.apis.length === 0
            ? say('The group’s rules and its list of people are deleted as well. The people stay.')
            : say('Cannot be deleted while an API uses it.')
        }
      >
        {group.apis.length === 0 && (
          <div className="form-actions">
            <a className="button danger" href={groupPath(group.id, 'delete')}>
              {say('Delete…')}
            </a>
          </div>
        )}
      </Panel>
    </>
  );
});

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
            pills={<OriginPills origins={row.origins} />}
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
