// The page about the service: version, health, queues, what expires soon, and the effective settings.
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { CONNECTIONS } from '#app/(console)/_subjects/registry-forms.ts';
import { BringBack, ExpiringList } from '#app/(console)/_subjects/upkeep.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readService } from '#lib/management/service.ts';
import { listExpiring, readFirstDay } from '#lib/management/upkeep.ts';
import { Health, Queues, SettingsPanel } from './panels.tsx';

export const generateMetadata = pageTitle('Service');

export default consolePage('/admin/service', async (visited) => {
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
      <Panel
        id="expiring"
        heading={say('Expiring items')}
        lead={say('The next ninety days, earliest first.')}
      >
        <ExpiringList rows={rows} area="admin" none={say('Nothing.')} />
      </Panel>
      <SettingsPanel settings={state.settings} />
      {away && !complete && <BringBack list="service" start={await form('checklist')} />}
    </>
  );
});
