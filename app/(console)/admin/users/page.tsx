import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { pagePeople, ROLES } from '#lib/management/index.ts';
import { path as pathOf } from '../../_forms/form.ts';
import { List, Pager, Row, Search } from '../../_ui/list.tsx';
import { Empty, Managed, Pill, Title } from '../../_ui/pieces.tsx';
import { When } from '../../_ui/when.tsx';
import { visit } from '../../_visit/visit.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'People' };

const path = '/admin/users';
const ROLE_OPTIONS = [['', 'With any role or none'], ...ROLES.map((role) => [role, role])] as [
  string,
  string,
][];
const STATES = [
  ['', 'Enabled or not'],
  ['active', 'Enabled'],
  ['disabled', 'Disabled'],
] as const;

export default function PeoplePage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '', role = '', state = '' } = query;
    const { rows, next } = await pagePeople(actor, {
      search,
      cursor,
      role: ROLES.find((one) => one === role),
      state: state === 'active' || state === 'disabled' ? state : undefined,
    });
    return (
      <>
        <Title
          lead="Everybody who signed in here, and who may do what in this console."
          actions={
            <a className="button" href="/admin/users/new">
              Add a person
            </a>
          }
        >
          People
        </Title>
        <Search
          action={path}
          search={search}
          placeholder="Search by name or e-mail"
          filters={[
            { name: 'role', label: 'Role', value: role, options: ROLE_OPTIONS },
            { name: 'state', label: 'State', value: state, options: STATES },
          ]}
        />
        {rows.length === 0 ? (
          <Empty heading="Nobody">
            <p>Nobody is like that. Search for somebody else, or add them.</p>
          </Empty>
        ) : (
          <List label="People">
            {rows.map((person) => (
              <Row
                key={person.id}
                href={pathOf('admin', 'users', person.id)}
                title={<Name>{person.name || person.email || 'Without a name'}</Name>}
                pills={
                  <>
                    {person.roles.map((one) => (
                      <Pill key={one} tone="good">
                        {one}
                      </Pill>
                    ))}
                    {person.disabled && <Pill tone="refused">disabled</Pill>}
                    {person.managed && <Managed />}
                  </>
                }
                side={<When at={person.createdAt} />}
              >
                {person.email ?? 'signs in elsewhere'}
              </Row>
            ))}
          </List>
        )}
        <Pager path={path} query={{ search, role, state, cursor }} next={next} />
      </>
    );
  });
}
