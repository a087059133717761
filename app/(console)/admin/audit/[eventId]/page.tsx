import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title, When } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readAuditEvent } from '#lib/management/audit.ts';
import { EVENTS, type EventName, eventTitle } from '#lib/registry/audit-event.ts';
import { Changes, changesIn, EventFacts, eventPath, factsOf, Involved } from '../events.tsx';

export const generateMetadata = pageTitle('Event details');

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
          lead={say(EVENTS[row.event as EventName]?.meaning ?? '')}
        >
          {say(eventTitle(row.event))}
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
