import type { Metadata } from 'next';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { enter, previewAuthMethodDeletion } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Delete the sign-in method' };

export default function DeleteMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'delete', async ({ actor, method, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const { id, name, version } = method;
    return (
      <Panel
        id="delete"
        heading={`Delete ${name}?`}
        lead="Everybody signed in through it is signed out. There is no way back."
      >
        <Form {...(await form('method-delete'))}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="version" value={version} />
          <Consequences
            of={await previewAuthMethodDeletion(actor, { id })}
            heading="What ends with it"
            agreed={typed('method-delete').one('confirmed')}
          />
          <div className="form-actions">
            <Submit tone="danger">Delete it for good</Submit>
            <a className="button quiet" href={`/admin/auth-methods/${encodeURIComponent(id)}`}>
              Keep it
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}
