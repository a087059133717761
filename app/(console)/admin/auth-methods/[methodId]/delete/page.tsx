import { path } from '#app/(console)/_kit/console-form.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { ask } from '#app/(console)/_subjects/object-forms.tsx';
import { pageAboutMethod } from '#app/(console)/_subjects/object-pages.tsx';
import { enter } from '#lib/management/operations.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const generateMetadata = pageTitle('Delete sign-in method');

export default pageAboutMethod('delete', async ({ method, ...visit }) => {
  await enter(visit.actor, { action: 'registry.manage' });
  const { id, name, version } = method;
  const leave = path('admin', 'auth-methods', id);
  return ask(visit, 'method-delete', { fields: { id, version }, of: plainText(name), leave });
});
