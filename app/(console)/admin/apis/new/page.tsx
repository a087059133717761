import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { enter, pageAuthMethods } from '#lib/management/index.ts';
import { ApiFields, NEW_API } from '../../../_registry/api-fields.tsx';
import { Form } from '../../../_ui/form.tsx';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Publish an API' };

export default function NewApiPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/apis', path: '/admin/apis/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const methods = (await pageAuthMethods(actor, { limit: 200 })).rows;
    return (
      <>
        <Title back={{ href: '/admin/apis', label: 'APIs' }}>Publish an API</Title>
        <Panel id="new" heading="About it">
          <Form
            {...(await form('api-create'))}
            submit="Publish it"
            leave={{ href: '/admin/apis', label: 'Cancel' }}
          >
            <ApiFields typed={typed('api-create')} stored={NEW_API} methods={methods} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
