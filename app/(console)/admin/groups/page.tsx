import { listPage, ObjectRow } from '#app/(console)/_kit/list-page.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { memberCount } from '#app/(console)/_subjects/group-fields.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageGroups } from '#lib/catalogue/groups/operations.ts';

export const generateMetadata = pageTitle('Groups');

export default listPage('/admin/groups', async ({ actor, listOptions }) => {
  const page = await pageGroups(actor, { ...listOptions, order: listOptions.order || 'name' });
  return {
    title: say('Groups'),
    lead: say(
      'A group is a named set of people. APIs and scopes can be limited to groups, and tokens contain the person’s groups.',
    ),
    add: say('Add group'),
    page,
    empty: [
      say('No groups'),
      listOptions.search
        ? say('No matching name.')
        : say('Add a group, then select it at an API or one of its scopes.'),
    ],
    rows: page.rows.map((group) => (
      <ObjectRow key={group.id} href={groupPath(group.id)} id={group.id} of={group} side={memberCount(group)}>
        {group.apis.length > 0
          ? say('for {apis}', { apis: group.apis.join(', ') })
          : say('not used by any API')}
      </ObjectRow>
    )),
  };
});
