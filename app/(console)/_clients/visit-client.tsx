// What every page about one client begins with, for its developer and for administrators alike.

import type { ReactNode } from 'react';
import { Name } from '#app/_components/name.tsx';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { enter } from '#lib/management/core/operation.ts';
import { type ClientDetail, readClient } from '#lib/management/registry/clients.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath, listOf, SHORT_KINDS } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { Managed, Pill, Title } from '../_ui/pieces.tsx';
import { Tabs } from '../_ui/tabs.tsx';
import { type Visit, visit } from '../_visit/visit.tsx';

export type ClientPageProps = {
  params: Promise<{ clientId: string }>;
  searchParams: SearchParams;
};
type Where = { area: Area; props: ClientPageProps; below?: string };

export async function visitClient(
  { area, props, below }: Where,
  render: (visit: Visit & { client: ClientDetail }) => Promise<ReactNode>,
): Promise<ReactNode> {
  const { clientId } = await readPath(props.params);
  const path = clientPath(area, clientId, ...(below ? [below] : []));
  const page = { area, here: listOf(area).href, path, searchParams: props.searchParams };
  return visit(page, async (visited) => {
    if (area === 'admin') await enter(visited.actor, { action: 'clients.see-all' });
    const client = await readClient(visited.actor, { clientId });
    return (
      <>
        <ClientTitle area={area} client={client} />
        <Tabs
          label={plainText(client.name)}
          here={path}
          tabs={[
            [clientPath(area, clientId), say('Overview')],
            [clientPath(area, clientId, 'requests'), say('Requests')],
            [clientPath(area, clientId, 'code'), say('Code')],
            [clientPath(area, clientId, 'why'), say('Why?')],
            ...(area === 'admin' && client.origin !== 'document' ? [textsTab(clientId)] : []),
          ]}
        />
        {await render({ ...visited, client })}
      </>
    );
  });
}

const textsTab = (clientId: string): [string, string] => [
  clientPath('admin', clientId, 'texts'),
  say('Texts'),
];

function ClientTitle({ area, client }: { area: Area; client: ClientDetail }) {
  return (
    <Title
      back={listOf(area)}
      actions={
        // its document says who it is
        client.origin !== 'document' && (
          <a className="button plain small" href={clientPath(area, client.clientId, 'edit')}>
            {say('Edit')}
          </a>
        )
      }
    >
      <Name>{client.name}</Name> <Pill tone="neutral">{say(SHORT_KINDS[client.kind])}</Pill>
      {client.disabled && (
        <Pill tone="refused">{client.origin === null ? say('disabled') : say('blocked')}</Pill>
      )}
      {client.managed && <Managed />}
    </Title>
  );
}
