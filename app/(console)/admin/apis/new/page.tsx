import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { api } from '#lib/catalogue/apis/definition.ts';
import { listGroupNames } from '#lib/catalogue/groups/operations.ts';
import { pageAuthMethods } from '#lib/catalogue/methods/operations.ts';
import { enter } from '#lib/management/operations.ts';
import { defaultsOf } from '#lib/registry/definition.ts';
import { Form } from '../../../_kit/form.tsx';
import { Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { ApiFields } from '../../../_subjects/object-fields.tsx';

export const generateMetadata = pageTitle('Publish an API');

export default consolePage('/admin/apis/new', async ({ actor, form, typed }) => {
  await enter(actor, { action: 'registry.manage' });
  const methods = (await pageAuthMethods(actor, { limit: 200 })).rows;
  const groups = await listGroupNames(actor);
  return (
    <>
      <Title back={{ href: '/admin/apis', label: say('APIs') }}>{say('Publish an API')}</Title>
      <Panel id="new" heading={say('About the API')}>
        <Form
          {...(await form('api-create'))}
          submit={say('Publish API')}
          leave={{ href: '/admin/apis', label: say('Cancel') }}
        >
          <ApiFields typed={typed('api-create')} stored={defaultsOf(api)} {...{ methods, groups }} isNew />
        </Form>
      </Panel>
    </>
  );
});
