import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { DefinedFields } from '#app/(console)/_objects/defined-fields.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { enter } from '#lib/management/index.ts';
import { formFields, person } from '#lib/registry/index.ts';

export const metadata: Metadata = { title: 'Add a person' };

export default function NewPersonPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/people', path: '/admin/people/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'people.manage' });
    return (
      <>
        <Title
          back={{ href: '/admin/people', label: 'People' }}
          lead="A person who signs in here with e-mail and password."
        >
          Add a person
        </Title>
        <Panel id="new" heading="About them">
          <Form
            {...(await form('person-create'))}
            submit="Add them"
            leave={{ href: '/admin/people', label: 'Cancel' }}
          >
            <DefinedFields fields={formFields(person)} typed={typed('person-create')} stored={{}} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
