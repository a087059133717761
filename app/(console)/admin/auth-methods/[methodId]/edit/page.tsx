import type { Metadata } from 'next';
import { MethodFields } from '#app/(console)/_registry/method-fields.tsx';
import { configOf } from '#app/(console)/_registry/read-method.ts';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { enter, previewAuthMethodChange } from '#lib/management/index.ts';

export const metadata: Metadata = { title: 'Edit the sign-in method' };

export default function EditMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'edit', async ({ actor, method, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const values = typed('method-change');
    const config = configOf(method.type, (name) => values.one(name));
    const change = { id: method.id, name: values.one('name'), config };
    const consequences = values.confirming && (await previewAuthMethodChange(actor, change));
    return (
      <Panel id="edit" heading="Edit">
        <Form
          {...(await form('method-change'))}
          fields={{ id: method.id, version: method.version }}
          submit={consequences ? 'Save it all the same' : 'Save'}
          leave={{ href: `/admin/auth-methods/${encodeURIComponent(method.id)}`, label: 'Cancel' }}
        >
          <MethodFields type={method.type} typed={values} stored={method} isNew={false} />
          {consequences && (
            <Consequences
              of={consequences}
              heading="Saving this has consequences"
              agreed={values.one('confirmed')}
            />
          )}
        </Form>
      </Panel>
    );
  });
}
