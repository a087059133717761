// The service itself: version, health, queues, what expires, and the settings that hold.
import type { SearchParams } from '#app/_components/page-input.ts';
import { CONNECTIONS } from '#app/(console)/_registry/test-forms.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { BringBack } from '#app/(console)/_upkeep/checklist.tsx';
import { ExpiringList } from '#app/(console)/_upkeep/expiring-list.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { listExpiring } from '#lib/management/upkeep/expiring.ts';
import { readFirstDay } from '#lib/management/upkeep/first-day.ts';
import { readService } from '#lib/management/upkeep/service-state.ts';
import { Health } from './health.tsx';
import { Queues } from './queues.tsx';
import { SettingsPanel } from './settings-panel.tsx';

export const generateMetadata = titled('Service');

export default function ServicePage({ searchParams }: { searchParams: SearchParams }) {
  const path = '/admin/service';
  return visit({ area: 'admin', here: path, path, searchParams }, async (visited) => {
    const { actor, query, form } = visited;
    const elsewhere = query['elsewhere'] === 'yes';
    const [state, rows, { away, complete }] = await Promise.all([
      readService(actor, { elsewhere }),
      listExpiring(actor, { own: false }),
      readFirstDay(actor),
    ]);
    return (
      <>
        <Title
          actions={
            <a className="button plain small" href={CONNECTIONS}>
              {say('Test connections')}
            </a>
          }
          lead={say('Gatehouse {version} on Node.js {runtime}.', {
            version: state.version,
            runtime: state.runtime.replace(/^v/, ''),
          })}
        >
          {say('Service')}
        </Title>
        <Health findings={state.findings} elsewhere={elsewhere} />
        <Queues state={state} />
        <Panel id="expiring" heading={say('What expires')} lead={say('Within ninety days, the first first.')}>
          <ExpiringList rows={rows} area="admin" none={say('Nothing does.')} />
        </Panel>
        <SettingsPanel settings={state.settings} />
        {away && !complete && <BringBack list="service" start={await form('checklist')} />}
      </>
    );
  });
}
