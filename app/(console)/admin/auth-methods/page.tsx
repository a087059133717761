import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { currentWords, say } from '#app/(console)/_texts/say.tsx';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import { pageAuthMethods } from '#lib/catalogue/methods/operations.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { path } from '../../_kit/console-form.ts';
import { listPage, ObjectRow } from '../../_kit/list-page.tsx';
import { Kind } from '../../_kit/pieces.tsx';

export const generateMetadata = pageTitle('Sign-in methods');

/** The type in words: in lower case inside English sentences; unchanged in other languages. */
function kindOf(type: AuthMethodType): string {
  const { label } = methodKind(type).words;
  return currentWords().language === 'en' ? label.toLowerCase() : say(label);
}

export default listPage('/admin/auth-methods', async ({ actor, listOptions }) => {
  const page = await pageAuthMethods(actor, { ...listOptions, order: listOptions.order || 'name' });
  return {
    title: say('Sign-in methods'),
    lead: say('The ways in which people can prove who they are.'),
    add: say('Add method'),
    page,
    empty: [
      say('No method'),
      listOptions.search
        ? say('No matching name.')
        : say('Add a local method so that people can sign in with a password.'),
    ],
    rows: page.rows.map((method) => (
      <ObjectRow
        key={method.id}
        href={path('admin', 'auth-methods', method.id)}
        id={method.id}
        of={method}
        pills={<Kind>{kindOf(method.type)}</Kind>}
        side={say('{count} signed in', { count: method.sessions })}
      >
        {method.apis.length > 0 ? say('for {apis}', { apis: method.apis.join(', ') }) : say('no API uses it')}
      </ObjectRow>
    )),
  };
});
