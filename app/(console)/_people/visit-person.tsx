import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { type PersonView, readPerson } from '#lib/management/index.ts';
import { path as pathOf } from '../_forms/form.ts';
import { Managed, Pill, Title } from '../_ui/pieces.tsx';
import { type Visit, visit } from '../_visit/visit.tsx';

export type PersonPageProps = { params: Promise<{ personId: string }>; searchParams: SearchParams };

/** What every page about one person begins with. */
export async function visitPerson(
  { params, searchParams }: PersonPageProps,
  below: string | null,
  render: (visit: Visit & { person: PersonView }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { personId } = await params;
  const own = pathOf('admin', 'users', personId);
  const page = {
    area: 'admin',
    here: '/admin/users',
    path: below ? `${own}/${below}` : own,
    searchParams,
  } as const;
  return visit(page, async (visited) => {
    const person = await readPerson(visited.actor, { id: personId });
    return (
      <>
        <Title
          back={below ? { href: own, label: 'The person' } : { href: '/admin/users', label: 'People' }}
          lead={person.name ? person.email : undefined}
        >
          <Name>{person.name || person.email || 'Without a name'}</Name>
          {person.disabled && <Pill tone="refused">disabled</Pill>}
          {person.managed && <Managed />}
        </Title>
        {await render({ ...visited, person })}
      </>
    );
  });
}
