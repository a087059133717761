import type { SearchParams } from '#app/_components/page-input.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { ExpiringList } from '#app/(console)/_upkeep/expiring-list.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { listExpiring } from '#lib/management/upkeep/expiring.ts';

export const generateMetadata = titled('What expires');

export default function ExpiringPage({ searchParams }: { searchParams: SearchParams }) {
  const path = '/developer/expiring';
  return visit({ area: 'developer', here: path, path, searchParams }, async (visited) => {
    const rows = await listExpiring(visited.actor, { own: true });
    return (
      <>
        <Title
          lead={say(
            'Of your applications, within ninety days: secrets that were rotated, and what people allowed for a time.',
          )}
        >
          {say('What expires')}
        </Title>
        <Panel id="expiring" heading={say('The next ninety days')}>
          <ExpiringList rows={rows} area="developer" none={say('Nothing of your applications expires.')} />
        </Panel>
      </>
    );
  });
}
