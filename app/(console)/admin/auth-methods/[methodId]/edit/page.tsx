import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { readForm } from '#app/(console)/_kit/posted.ts';
import { configOf, testFirst } from '#app/(console)/_subjects/methods.tsx';
import { MethodFields } from '#app/(console)/_subjects/object-fields.tsx';
import { EditPanel } from '#app/(console)/_subjects/object-forms.tsx';
import { pageAboutMethod } from '#app/(console)/_subjects/object-pages.tsx';
import { enter } from '#lib/management/operations.ts';
import { previewAuthMethodChange } from '#lib/management/registry-preview.ts';
import { authMethod } from '#lib/registry/auth-method.ts';

export const generateMetadata = pageTitle('Edit sign-in method');

export default pageAboutMethod('edit', async ({ actor, method, form, typed }) => {
  await enter(actor, { action: 'registry.manage' });
  const { id, type, version } = method;
  const values = typed('method-change');
  const change = {
    ...readForm(authMethod, values.typed),
    id,
    config: configOf(type, values.typed, method.config),
  };
  return (
    <EditPanel
      start={await form('method-change')}
      fields={{ id, version }}
      leave={`/admin/auth-methods/${encodeURIComponent(id)}`}
      consequences={values.confirming && (await previewAuthMethodChange(actor, change))}
      also={testFirst(type)}
      agreed={values.one('confirmed')}
    >
      <MethodFields type={type} typed={values} stored={method} isNew={false} />
    </EditPanel>
  );
});
