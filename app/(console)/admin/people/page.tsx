import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { List, Pager, Row, Search } from '#app/(console)/_ui/list.tsx';
import { Managed, Pill, Title } from '#app/(console)/_ui/pieces.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { pagePeople } from '#lib/management/index.ts';
import { type PersonRow, ROLES } from '#lib/registry/index.ts';
import { personPath } from './forms.ts';
import { ROLE_WORDS } from './roles.ts';

export const metadata: Metadata = { title: 'People' };

const HERE = '/admin/people';
const STATES = ['active', 'disabled'] as const;

export default function PeoplePage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: HERE, path: HERE, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '' } = query;
    const role = ROLES.find((one) => one === query['role']);
    const state = STATES.find((one) => one === query['state']);
    const { rows, next } = await pagePeople(actor, { search, cursor, role, state });
    return (
      <>
        <Title
          lead="Everybody who has signed in, by whichever method, and everybody of our own store."
          actions={
            <a className="button" href="/admin/people/new">
              Add a person
            </a>
          }
        >
          People
        </Title>
        <Search
          action={HERE}
          search={search}
          placeholder="Name or e-mail"
          filters={[
            {
              name: 'role',
              label: 'Role',
              value: role ?? '',
              options: [['', 'Any role'], ...ROLES.map((one) => [one, ROLE_WORDS[one].label] as const)],
            },
            {
              name: 'state',
              label: 'State',
              value: state ?? '',
              options: [
                ['', 'Active or not'],
                ['active', 'Active'],
                ['disabled', 'Disabled'],
              ],
            },
          ]}
        />
        {rows.length === 0 ? (
          <p className="soft nothing">Nobody like that. Search for a part of a name or of an address.</p>
        ) : (
          <List label="People">
            {rows.map((row) => (
              <PersonItem key={row.id} row={row} />
            ))}
          </List>
        )}
        <Pager path={HERE} query={{ search, cursor, role: role ?? '', state: state ?? '' }} next={next} />
      </>
    );
  });
}

function PersonItem({ row }: { row: PersonRow }) {
  return (
    <Row
      href={personPath(row.id)}
      title={<Name>{row.name || row.email || 'No name'}</Name>}
      pills={
        <>
          {row.roles.map((role) => (
            <Pill key={role} tone="neutral">
              {role}
            </Pill>
          ))}
          {row.disabled && <Pill tone="refused">disabled</Pill>}
          {row.managed && <Managed />}
        </>
      }
      side={<When at={row.createdAt} />}
    >
      {row.email === null ? 'Signs in elsewhere' : <bdi>{row.email}</bdi>}
    </Row>
  );
}
