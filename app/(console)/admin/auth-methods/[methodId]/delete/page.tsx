import type { Metadata } from 'next';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { enter, previewAuthMethodDeletion } from '#lib/management/index.ts';

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
        <Form
          {...(await form('method-delete'))}
          fields={{ id, version }}
          submit="Delete it for good"
          tone="danger"
          leave={{ href: `/admin/auth-methods/${encodeURIComponent(id)}`, label: 'Keep it' }}
        >
          <Consequences
            of={await previewAuthMethodDeletion(actor, { id })}
            heading="What ends with it"
            agreed={typed('method-delete').one('confirmed')}
          />
        </Form>
      </Panel>
    );
  });
}
