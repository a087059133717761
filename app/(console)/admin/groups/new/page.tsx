import type { SearchParams } from '#app/_components/page-input.ts';
import { GroupFields } from '#app/(console)/_registry/group-fields.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { enter } from '#lib/management/core/operation.ts';

export const generateMetadata = titled('Add a group');

export default function NewGroupPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/groups', path: '/admin/groups/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'groups.manage' });
    return (
      <>
        <Title back={{ href: '/admin/groups', label: say('Groups') }}>{say('Add a group')}</Title>
        <Panel id="new" heading={say('The group')}>
          <Form
            {...(await form('group-create'))}
            submit={say('Add it')}
            leave={{ href: '/admin/groups', label: say('Cancel') }}
          >
            <GroupFields actor={actor} typed={typed('group-create')} stored={{ name: '', from: [] }} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
