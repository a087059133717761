import type { Metadata } from 'next';
import { MethodFields } from '#app/(console)/_registry/method-fields.tsx';
import { configOf } from '#app/(console)/_registry/read-method.ts';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { enter, previewAuthMethodChange } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Edit the sign-in method' };

export default function EditMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'edit', async ({ actor, method, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const values = typed('method-change');
    const config = configOf(method.type, {
      one: (name) => values.one(name),
      all: (name) => values.every(name),
    });
    const change = { id: method.id, name: values.one('name'), config };
    const consequences = values.confirming && (await previewAuthMethodChange(actor, change));
    return (
      <Panel id="edit" heading="Edit">
        <Form {...(await form('method-change'))}>
          <input type="hidden" name="id" value={method.id} />
          <input type="hidden" name="version" value={method.version} />
          <MethodFields type={method.type} typed={values} stored={method} isNew={false} />
          {consequences && (
            <Consequences
              of={consequences}
              heading="Saving this has consequences"
              agreed={values.one('confirmed')}
            />
          )}
          <div className="form-actions">
            <Submit>{consequences ? 'Save it all the same' : 'Save'}</Submit>
            <a className="button quiet" href={`/admin/auth-methods/${encodeURIComponent(method.id)}`}>
              Cancel
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}
