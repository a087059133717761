// What every page about one API begins with.
import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { Managed, Pill, Title } from '#app/(console)/_ui/pieces.tsx';
import { type Visit, visit } from '#app/(console)/_visit/visit.tsx';
import { type ApiRow, MANAGEMENT_API, readApi } from '#lib/management/index.ts';
import { apiPath } from './forms.ts';

export type ApiPageProps = { params: Promise<{ apiId: string }>; searchParams: SearchParams };

export async function visitApi(
  { params, searchParams }: ApiPageProps,
  below: '' | 'edit' | 'delete',
  render: (visit: Visit & { api: ApiRow }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { apiId } = await params;
  const path = apiPath(apiId, ...(below ? [below] : []));
  return visit({ area: 'admin', here: '/admin/apis', path, searchParams }, async (visited) => {
    const api = await readApi(visited.actor, { id: apiId });
    const builtIn = api.id === MANAGEMENT_API;
    const back = below ? { href: apiPath(api.id), label: api.name } : { href: '/admin/apis', label: 'APIs' };
    const edit = (
      <a className="button plain small" href={apiPath(api.id, 'edit')}>
        Edit
      </a>
    );
    return (
      <>
        <Title back={back} lead={api.description} actions={!below && !builtIn && edit}>
          <Name>{api.name}</Name>
          {builtIn && <Pill tone="neutral">built in</Pill>}
          {api.managed && <Managed />}
        </Title>
        {await render({ ...visited, api })}
      </>
    );
  });
}
