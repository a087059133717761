import type { SearchParams } from '#app/_components/page-input.ts';
import { enter } from '#lib/management/index.ts';
import { defaultsOf, newClient } from '#lib/registry/index.ts';
import type { Area } from '../_forms/form.ts';
import { listOf } from '../_objects/client-kinds.ts';
import { Form } from '../_ui/form.tsx';
import { Panel, Title } from '../_ui/pieces.tsx';
import { visit } from '../_visit/visit.tsx';
import { ClientFields } from './client-fields.tsx';

export async function newClientPage(area: Area, { searchParams }: { searchParams: SearchParams }) {
  const list = listOf(area);
  const page = { area, here: list.href, path: `/${area}/clients/new`, searchParams };
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: area === 'admin' ? 'clients.manage-all' : 'clients.create' });
    return (
      <>
        <Title back={list} lead="You can change all of this later, except its client id.">
          {area === 'admin' ? 'Register a client' : 'Register an application'}
        </Title>
        <Panel id="new" heading="About it">
          <Form
            {...(await form('client-create'))}
            submit="Register it"
            leave={{ href: list.href, label: 'Cancel' }}
          >
            <ClientFields actor={actor} typed={typed('client-create')} stored={defaultsOf(newClient)} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
