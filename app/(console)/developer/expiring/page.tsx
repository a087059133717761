import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { ExpiringList } from '#app/(console)/_subjects/upkeep.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { listExpiring } from '#lib/management/upkeep.ts';

export const generateMetadata = pageTitle('Expiring items');

export default consolePage('/developer/expiring', async (visited) => {
  const rows = await listExpiring(visited.actor, { own: true });
  return (
    <>
      <Title
        lead={say('Rotated secrets and time-limited consents of your applications, in the next ninety days.')}
      >
        {say('Expiring items')}
      </Title>
      <Panel id="expiring" heading={say('The next ninety days')}>
        <ExpiringList rows={rows} area="developer" none={say('Nothing expires for your applications.')} />
      </Panel>
    </>
  );
});
