import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { pageClients } from '#lib/management/index.ts';
import { ClientList } from '../_clients/client-list.tsx';
import { Pager, Search } from '../_ui/list.tsx';
import { Empty, Title } from '../_ui/pieces.tsx';
import { visit } from '../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Applications' };

export default function DeveloperPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'developer', here: '/developer', path: '/developer', searchParams } as const;
  return visit(page, async ({ actor, query }) => {
    const { search = '', cursor = '' } = query;
    const { rows, ...pages } = await pageClients(actor, { counted: true, own: true, search, cursor });
    const none = rows.length === 0 && search === '' && cursor === '';
    return (
      <>
        <Title
          lead="Yours: what is registered, which APIs they may use, and what their requests ran into."
          actions={
            !none && (
              <a className="button" href="/developer/clients/new">
                Register an application
              </a>
            )
          }
        >
          Applications
        </Title>
        {none ? (
          <Empty heading="Register your first application">
            <p>
              It gets a client id, and a secret if it runs on a server. Then it subscribes to an API, and the
              playground shows the whole exchange before you write a line of code.
            </p>
            <p>
              <a className="button" href="/developer/clients/new">
                Register an application
              </a>
            </p>
          </Empty>
        ) : (
          <>
            <Search action="/developer" search={search} placeholder="Search by name or client id" />
            <ClientList rows={rows} area="developer" />
            <Pager path="/developer" query={{ search, cursor }} {...pages} />
          </>
        )}
      </>
    );
  });
}
