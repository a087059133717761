// An event in the list of the audit log.

import { path } from '#app/(console)/_forms/form.ts';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { Row } from '#app/(console)/_ui/list.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import type { AuditEntry } from '#lib/management/audit/audit.ts';
import { Changes, changesIn } from './changes.tsx';
import { EventDetails } from './event-details.tsx';
import { inWords } from './event-words.ts';

/** This many fields are shown; the event's page has all. */
const MOST = 4;

export const eventPath = (id: string) => path('admin', 'audit', id);

export function EventItem({ row }: { row: AuditEntry }) {
  const changes = changesIn(row);
  const more = changes.length - MOST;
  return (
    <Row title={say(inWords(row.event))} pills={<code>{row.event}</code>} side={<When at={row.at} />}>
      <Involved row={row} />
      <Changes changes={changes.slice(0, MOST)} />
      {changes.length > 0 && (
        <p>
          <a href={eventPath(row.id)}>
            <Say
              text="{more, plural, =0 {The whole change} one {The whole change, with # more field} other {The whole change, with # more fields}}{name}"
              values={{ more: Math.max(0, more), name: <span className="unseen"> ({row.event})</span> }}
            />
          </a>
        </p>
      )}
      <EventDetails row={row} />
    </Row>
  );
}

/** Who did it, and to what. */
export function Involved({ row }: { row: AuditEntry }) {
  const { actor, personId, clientId, apiId, authMethodId } = row;
  const person = personId !== null && personId !== actor;
  return (
    <p className="dots">
      {actor !== null && (
        <span>
          <Say text="by {who}" values={{ who: <Who id={actor} label={row.actorEmail} /> }} />
        </span>
      )}
      {person && (
        <span>
          <Say text="to {who}" values={{ who: <Who id={personId} label={row.personEmail} /> }} />
        </span>
      )}
      {clientId !== null && (
        <span>
          <Say
            text="client {id}"
            values={{ id: <a href={path('admin', 'clients', clientId)}>{clientId}</a> }}
          />
        </span>
      )}
      {apiId !== null && (
        <span>
          <Say text="API {id}" values={{ id: <a href={path('admin', 'apis', apiId)}>{apiId}</a> }} />
        </span>
      )}
      {authMethodId !== null && (
        <span>
          <Say
            text="method {id}"
            values={{ id: <a href={path('admin', 'auth-methods', authMethodId)}>{authMethodId}</a> }}
          />
        </span>
      )}
    </p>
  );
}

function Who({ id, label }: { id: string; label: string | null }) {
  const known = label !== null || /^[0-9a-f]{8}-/.test(id);
  if (!known) return <>{id}</>;
  return (
    <a href={path('admin', 'people', id)}>
      <bdi>{label ?? `${id.slice(0, 8)}…`}</bdi>
    </a>
  );
}
