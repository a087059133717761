import { Form } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { DefinedFields } from '#app/(console)/_subjects/object-fields.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { person } from '#lib/catalogue/people/definition.ts';
import { enter } from '#lib/management/operations.ts';
import { formFields } from '#lib/registry/definition.ts';

export const generateMetadata = pageTitle('Add person');

export default consolePage('/admin/people/new', async ({ actor, form, typed }) => {
  await enter(actor, { action: 'people.manage' });
  return (
    <>
      <Title
        back={{ href: '/admin/people', label: say('People') }}
        lead={say('A person who signs in to Gatehouse with email and password.')}
      >
        {say('Add person')}
      </Title>
      <Panel id="new" heading={say('About the person')}>
        <Form
          {...(await form('person-create'))}
          submit={say('Add person')}
          leave={{ href: '/admin/people', label: say('Cancel') }}
        >
          <DefinedFields fields={formFields(person)} typed={typed('person-create')} stored={{}} isNew />
        </Form>
      </Panel>
    </>
  );
});
