import { EditPanel } from '#app/(console)/_objects/object-forms.tsx';
import { GroupFields } from '#app/(console)/_registry/group-fields.tsx';
import { groupOfForm, groupPath } from '#app/(console)/_registry/group-forms.ts';
import { type GroupPageProps, visitGroup } from '#app/(console)/_registry/visit-group.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/core/operation.ts';
import { previewGroupChange } from '#lib/management/groups/groups.ts';

export const generateMetadata = titled('Edit the group');

export default function EditGroupPage(props: GroupPageProps) {
  return visitGroup(props, 'edit', async ({ actor, group, form, typed }) => {
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
}
