import { path } from '#app/(console)/_forms/form.ts';
import { ask } from '#app/(console)/_objects/ask.tsx';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/core/operation.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';

export const generateMetadata = titled('Delete the sign-in method');

export default function DeleteMethodPage(props: MethodPageProps) {
  return visitMethod(props, 'delete', async ({ method, ...visit }) => {
    await enter(visit.actor, { action: 'registry.manage' });
    const { id, name, version } = method;
    const leave = path('admin', 'auth-methods', id);
    return ask(visit, 'method-delete', { fields: { id, version }, of: plainText(name), leave });
  });
}
