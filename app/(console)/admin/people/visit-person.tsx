// The common start of every page about a user.

import type { ReactNode } from 'react';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { Managed, Pill, Title } from '#app/(console)/_kit/pieces.tsx';
import { type Visit, visit } from '#app/(console)/_kit/visit.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readPerson } from '#lib/management/people.ts';
import type { PersonView } from '#lib/store/people.ts';
import { personPath } from '../forms.ts';

export type PersonPageProps = { params: Promise<{ personId: string }>; searchParams: SearchParams };

export const nameOf = (person: PersonView) =>
  person.name || person.email || person.username || say('A person without a name');

export async function visitPerson(
  { params, searchParams }: PersonPageProps,
  below: string,
  render: (visit: Visit & { person: PersonView }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { personId } = await readPath(params);
  const path = personPath(personId, ...(below ? [below] : []));
  return visit({ area: 'admin', here: '/admin/people', path, searchParams }, async (visited) => {
    const person = await readPerson(visited.actor, { id: personId });
    const back = below
      ? { href: personPath(person.id), label: nameOf(person) }
      : { href: '/admin/people', label: say('People') };
    return (
      <>
        <Title back={back} lead={person.name && (person.email ?? person.username)}>
          <Name>{nameOf(person)}</Name>
          {person.disabled && <Pill tone="refused">{say('disabled')}</Pill>}
          {person.managed && <Managed />}
        </Title>
        {await render({ ...visited, person })}
      </>
    );
  });
}
