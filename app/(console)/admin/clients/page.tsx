import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { enter, pageClients } from '#lib/management/index.ts';
import { CLIENT_KIND_WORDS, CLIENT_KINDS } from '#lib/registry/index.ts';
import { ClientList } from '../../_clients/client-list.tsx';
import { Search } from '../../_ui/list.tsx';
import { Empty, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Clients' };

const path = '/admin/clients';

export default function ClientsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    await enter(actor, { action: 'clients.see-all' });
    const { search = '', cursor = '', order = '', kind = '', state = '' } = query;
    const page = await pageClients(actor, {
      counted: true,
      search,
      cursor,
      order: order || 'name',
      kind: CLIENT_KINDS.find((one) => one === kind),
      state: state === 'active' || state === 'disabled' ? state : undefined,
    });
    const none = page.rows.length === 0 && [search, cursor, kind, state].every((value) => value === '');
    return (
      <>
        <Title
          lead="Every application that may ask for tokens, of every owner."
          actions={
            <a className="button" href="/admin/clients/new">
              Register a client
            </a>
          }
        >
          Clients
        </Title>
        {none ? (
          <Empty heading="No client yet">
            <p>
              Register one, give developers their role so that they can, or list them in the configuration
              file.
            </p>
          </Empty>
        ) : (
          <>
            <Search
              action={path}
              search={search}
              placeholder="Search by name or client id"
              order={order}
              filters={[
                {
                  name: 'kind',
                  label: 'Kind',
                  value: kind,
                  options: [
                    ['', 'Of any kind'],
                    ...CLIENT_KINDS.map((one) => [one, CLIENT_KIND_WORDS[one].label] as const),
                  ],
                },
                {
                  name: 'state',
                  label: 'State',
                  value: state,
                  options: [
                    ['', 'Enabled or not'],
                    ['active', 'Enabled'],
                    ['disabled', 'Disabled'],
                  ],
                },
              ]}
            />
            <ClientList path={path} query={{ search, kind, state, order, cursor }} page={page} area="admin" />
          </>
        )}
      </>
    );
  });
}
