import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { readForm } from '#app/(console)/_kit/posted.ts';
import { ApiFields } from '#app/(console)/_subjects/object-fields.tsx';
import { EditPanel } from '#app/(console)/_subjects/object-forms.tsx';
import { pageAboutApi } from '#app/(console)/_subjects/object-pages.tsx';
import { listGroupNames } from '#lib/management/groups.ts';
import { pageAuthMethods } from '#lib/management/methods.ts';
import { enter } from '#lib/management/operations.ts';
import { previewApiChange } from '#lib/management/registry-preview.ts';
import { api as definition } from '#lib/registry/api.ts';

export const generateMetadata = pageTitle('Edit API');

export default pageAboutApi('edit', async ({ actor, api, form, typed }) => {
  await enter(actor, { action: 'registry.manage' });
  const { id, version } = api;
  const methods = (await pageAuthMethods(actor, { limit: 200 })).rows;
  const groups = await listGroupNames(actor);
  const values = typed('api-change');
  const change = { ...readForm(definition, values.typed), id };
  return (
    <EditPanel
      start={await form('api-change')}
      fields={{ id, version }}
      leave={`/admin/apis/${encodeURIComponent(id)}`}
      consequences={values.confirming && (await previewApiChange(actor, change))}
      agreed={values.one('confirmed')}
    >
      <ApiFields typed={values} stored={api} {...{ methods, groups }} isNew={false} />
    </EditPanel>
  );
});
