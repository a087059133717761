import type { SearchParams } from '#app/_components/page-input.ts';
import { DefinedFields } from '#app/(console)/_objects/defined-fields.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { enter } from '#lib/management/core/operation.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { person } from '#lib/registry/objects/person.ts';

export const generateMetadata = titled('Add a person');

export default function NewPersonPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/people', path: '/admin/people/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'people.manage' });
    return (
      <>
        <Title
          back={{ href: '/admin/people', label: say('People') }}
          lead={say('A person who signs in here with e-mail and password.')}
        >
          {say('Add a person')}
        </Title>
        <Panel id="new" heading={say('About them')}>
          <Form
            {...(await form('person-create'))}
            submit={say('Add them')}
            leave={{ href: '/admin/people', label: say('Cancel') }}
          >
            <DefinedFields fields={formFields(person)} typed={typed('person-create')} stored={{}} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
