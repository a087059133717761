import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { listPage } from '../_kit/list-page.tsx';
import { Empty } from '../_kit/pieces.tsx';
import { describeClients } from '../_subjects/client-lists.tsx';
import { FirstToken } from '../_subjects/upkeep.tsx';

export const generateMetadata = pageTitle('Applications');

export default listPage('/developer', async (visit) => {
  const { isUnused, ...list } = await describeClients('developer', visit);
  const register = (
    <a className="button" href="/developer/clients/new">
      {say('Register an application')}
    </a>
  );
  return {
    ...list,
    title: say('Applications'),
    lead: say(
      'Your applications, with their registration, the APIs that they can use, and their failed requests.',
    ),
    actions: !isUnused && register,
    top: <FirstToken {...visit} />,
    instead: isUnused && (
      <Empty heading={say('Register your first application')}>
        <p>
          {say(
            'The application gets a client id, and a secret if it runs on a server. It then subscribes to an API, and the playground shows the whole exchange before you write any code.',
          )}
        </p>
        <p>{register}</p>
      </Empty>
    ),
  };
});
