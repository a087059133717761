import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { CLIENT_KIND_WORDS, CLIENT_KINDS } from '#lib/catalogue/clients/definition.ts';
import { enter } from '#lib/management/operations.ts';
import { listPage } from '../../_kit/list-page.tsx';
import { Empty } from '../../_kit/pieces.tsx';
import { describeClients } from '../../_subjects/client-lists.tsx';

export const generateMetadata = pageTitle('Clients');

const STATES = toSay({ '': 'Any state', active: 'Enabled', disabled: 'Disabled' });

export default listPage('/admin/clients', async (visit) => {
  await enter(visit.actor, { action: 'clients.see-all' });
  const { kind = '', state = '' } = visit.query;
  const kinds = CLIENT_KINDS.map((name) => [name, say(CLIENT_KIND_WORDS[name].label)] as const);
  const { isUnused, ...list } = await describeClients('admin', visit, [
    { name: 'kind', label: say('Kind'), value: kind, options: [['', say('Any kind')], ...kinds] },
    { name: 'state', label: say('State'), value: state, options: sayEach(STATES) },
  ]);
  return {
    ...list,
    title: say('Clients'),
    lead: say('All applications that can request tokens, of all owners.'),
    add: say('Register a client'),
    instead: isUnused && (
      <Empty heading={say('No clients yet')}>
        <p>
          {say(
            'Register a client, grant developers their role so that they can register clients, or add clients to the configuration file.',
          )}
        </p>
      </Empty>
    ),
  };
});
