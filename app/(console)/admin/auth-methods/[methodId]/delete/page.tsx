import type { Metadata } from 'next';
import { DeletePanel } from '#app/(console)/_objects/object-forms.tsx';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { enter, previewAuthMethodDeletion } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';

export const metadata: Metadata = { title: 'Delete the sign-in method' };

export default function DeleteMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'delete', async ({ actor, method, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const { id, name, version } = method;
    return (
      <DeletePanel
        start={await form('method-delete')}
        fields={{ id, version }}
        leave={`/admin/auth-methods/${encodeURIComponent(id)}`}
        name={plainText(name)}
        lead="Everybody signed in through it is signed out. There is no way back."
        consequences={await previewAuthMethodDeletion(actor, { id })}
        agreed={typed('method-delete').one('confirmed')}
      />
    );
  });
}
