import { Form } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { GroupFields } from '#app/(console)/_subjects/group-fields.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { enter } from '#lib/management/operations.ts';

export const generateMetadata = pageTitle('Add group');

export default consolePage('/admin/groups/new', async ({ actor, form, typed }) => {
  await enter(actor, { action: 'groups.manage' });
  return (
    <>
      <Title back={{ href: '/admin/groups', label: say('Groups') }}>{say('Add group')}</Title>
      <Panel id="new" heading={say('The group')}>
        <Form
          {...(await form('group-create'))}
          submit={say('Add group')}
          leave={{ href: '/admin/groups', label: say('Cancel') }}
        >
          <GroupFields actor={actor} typed={typed('group-create')} stored={{ name: '', from: [] }} isNew />
        </Form>
      </Panel>
    </>
  );
});
