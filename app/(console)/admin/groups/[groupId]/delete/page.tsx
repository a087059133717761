import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout } from '#app/(console)/_kit/pieces.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { ask } from '#app/(console)/_subjects/object-forms.tsx';
import { pageAboutGroup, UsePanel } from '#app/(console)/_subjects/object-pages.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { enter } from '#lib/management/operations.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const generateMetadata = pageTitle('Delete group');

export default pageAboutGroup('delete', async ({ group, ...visit }) => {
  await enter(visit.actor, { action: 'groups.manage' });
  const { id, name, version, apis } = group;
  if (apis.length > 0)
    return (
      <>
        <Callout>
          <p>
            {say('Used by APIs: {apis}. Remove the group from these APIs first.', {
              apis: apis.join(', '),
            })}
          </p>
        </Callout>
        <UsePanel actor={visit.actor} id={id} />
      </>
    );
  return ask(visit, 'group-delete', { fields: { id, version }, of: plainText(name), leave: groupPath(id) });
});
