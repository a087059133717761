import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { GroupFields } from '#app/(console)/_subjects/group-fields.tsx';
import { groupOfForm, groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { EditPanel } from '#app/(console)/_subjects/object-forms.tsx';
import { pageAboutGroup } from '#app/(console)/_subjects/object-pages.tsx';
import { previewGroupChange } from '#lib/management/groups.ts';
import { enter } from '#lib/management/operations.ts';

export const generateMetadata = pageTitle('Edit group');

export default pageAboutGroup('edit', async ({ actor, group, form, typed }) => {
  await enter(actor, { action: 'groups.manage' });
  const { id, version } = group;
  const values = typed('group-change');
  const change = { ...groupOfForm(values.typed), id };
  return (
    <EditPanel
      start={await form('group-change')}
      fields={{ id, version }}
      leave={groupPath(id)}
      consequences={values.confirming && (await previewGroupChange(actor, change))}
      agreed={values.one('confirmed')}
    >
      <GroupFields actor={actor} typed={values} stored={group} isNew={false} />
    </EditPanel>
  );
});
