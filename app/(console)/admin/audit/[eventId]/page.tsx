import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { When } from '#app/(console)/_ui/when.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { EVENT_MEANINGS } from '#lib/audit/event-meanings.ts';
import type { EventName } from '#lib/audit/events.ts';
import { readAuditEvent } from '#lib/management/audit/audit.ts';
import { Changes, changesIn } from '../changes.tsx';
import { EventFacts, factsOf } from '../event-details.tsx';
import { eventPath, Involved } from '../event-item.tsx';
import { inWords } from '../event-words.ts';

export const generateMetadata = titled('An event');

type Props = { params: Promise<{ eventId: string }>; searchParams: SearchParams };

export default async function EventPage({ params, searchParams }: Props) {
  const { eventId } = await readPath(params);
  const here = '/admin/audit';
  return visit({ area: 'admin', here, path: eventPath(eventId), searchParams }, async (visited) => {
    const row = await readAuditEvent(visited.actor, { id: eventId });
    const [changes, facts] = [changesIn(row), factsOf(row)];
    return (
      <>
        <Title
          back={{ href: here, label: say('Audit log') }}
          lead={say(EVENT_MEANINGS[row.event as EventName] ?? '')}
        >
          {say(inWords(row.event))}
        </Title>
        <Panel id="event" heading={say('What happened')} aside={<When at={row.at} />}>
          <Involved row={row} />
          <Changes changes={changes} isWhole />
          {facts.length > 0 && <EventFacts facts={facts} />}
        </Panel>
      </>
    );
  });
}
