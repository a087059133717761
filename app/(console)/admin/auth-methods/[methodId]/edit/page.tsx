import { readForm } from '#app/(console)/_forms/read-form.ts';
import { EditPanel } from '#app/(console)/_objects/object-forms.tsx';
import { MethodFields } from '#app/(console)/_registry/method-fields.tsx';
import { configOf, testFirst } from '#app/(console)/_registry/methods.ts';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/core/operation.ts';
import { previewAuthMethodChange } from '#lib/management/registry/registry-preview.ts';
import { authMethod } from '#lib/registry/objects/auth-method.ts';

export const generateMetadata = titled('Edit the sign-in method');

export default function EditMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'edit', async ({ actor, method, form, typed }) => {
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
}
