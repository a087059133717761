import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { readGroup } from '#lib/management/groups/groups.ts';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import type { GroupRow } from '#lib/registry/objects/group.ts';
import { say } from '../_texts/say.tsx';
import { Managed, Pill, Title } from '../_ui/pieces.tsx';
import { type Visit, visit } from '../_visit/visit.tsx';
import { groupPath } from './group-forms.ts';

export type GroupPageProps = { params: Promise<{ groupId: string }>; searchParams: SearchParams };

/** What every page about one group begins with. */
export async function visitGroup(
  { params, searchParams }: GroupPageProps,
  below: string | null,
  render: (visit: Visit & { group: GroupRow }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { groupId } = await readPath(params);
  const path = groupPath(groupId, ...(below ? [below] : []));
  return visit({ area: 'admin', here: '/admin/groups', path, searchParams }, async (visited) => {
    const back = below
      ? { href: groupPath(groupId), label: say('The group') }
      : { href: '/admin/groups', label: say('Groups') };
    const group = await readGroup(visited.actor, { id: groupId });
    return (
      <>
        <Title
          back={back}
          lead={below ? undefined : <code>{group.id}</code>}
          actions={
            below === null && (
              <a className="button plain small" href={groupPath(group.id, 'edit')}>
                {say('Edit')}
              </a>
            )
          }
        >
          <Name>{group.name}</Name>
          {group.managed && <Managed />}
        </Title>
        {await render({ ...visited, group })}
      </>
    );
  });
}

export const memberCount = ({ members: count }: GroupRow): string =>
  count > MOST_COUNTED
    ? say('more than {count, number} people', { count: MOST_COUNTED })
    : say('{count, plural, =0 {no one} one {# person} other {# people}}', { count });

/** By hand, or by the word of a method. */
export function OriginPills({ origins }: { origins: readonly string[] }) {
  return origins.map((origin) => (
    <Pill key={origin} tone="neutral">
      {origin === '' ? say('by hand') : say('by {method}', { method: origin })}
    </Pill>
  ));
}
