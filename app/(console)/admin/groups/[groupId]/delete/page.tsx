import { AskedInVain, ask } from '#app/(console)/_objects/ask.tsx';
import { groupPath } from '#app/(console)/_registry/group-forms.ts';
import { type GroupPageProps, visitGroup } from '#app/(console)/_registry/visit-group.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';

export const generateMetadata = titled('Delete the group');

export default function DeleteGroupPage(props: GroupPageProps) {
  return visitGroup(props, 'delete', async ({ group, ...visit }) => {
    await enter(visit.actor, { action: 'groups.manage' });
    const { id, name, version, apis } = group;
    const leave = groupPath(id);
    if (apis.length > 0)
      return (
        <AskedInVain
          why={say('APIs name it: {apis}. Take it out there first.', { apis: apis.join(', ') })}
          leave={leave}
        />
      );
    return ask(visit, 'group-delete', { fields: { id, version }, of: plainText(name), leave });
  });
}
