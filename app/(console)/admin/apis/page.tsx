import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageApis } from '#lib/catalogue/apis/operations.ts';
import { path } from '../../_kit/console-form.ts';
import { listPage, ObjectRow } from '../../_kit/list-page.tsx';
import { Pill } from '../../_kit/pieces.tsx';

export const generateMetadata = pageTitle('APIs');

export default listPage('/admin/apis', async ({ actor, listOptions }) => {
  const page = await pageApis(actor, { ...listOptions, order: listOptions.order || 'name' });
  return {
    title: say('APIs'),
    lead: say(
      'The services that tokens are issued for. Each API lists its sign-in methods, and every pair is a separate issuer.',
    ),
    add: say('Publish an API'),
    page,
    empty: [
      say('No APIs'),
      listOptions.search
        ? say('No matching name.')
        : say('Publish an API so that developers can subscribe to it.'),
    ],
    rows: page.rows.map((api) => (
      <ObjectRow
        key={api.id}
        href={path('admin', 'apis', api.id)}
        id={api.id}
        of={api}
        pills={
          api.pending > 0 && <Pill tone="waiting">{say('{count} waiting', { count: api.pending })}</Pill>
        }
        side={say('{count, plural, one {# subscription} other {# subscriptions}}', {
          count: api.subscriptions,
        })}
      >
        {api.authMethods.join(', ') || say('sign-in is not possible yet')}
      </ObjectRow>
    )),
  };
});
