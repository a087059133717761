import type { SearchParams } from '#app/_components/page-input.ts';
import { path } from '#app/(console)/_forms/form.ts';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { List, Ordered, Row } from '#app/(console)/_ui/list.tsx';
import { Callout, Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { When } from '#app/(console)/_ui/when.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { type AuditEntry, EVENT_FAMILIES, EVENT_NAMES, enter, pageAudit } from '#lib/management/index.ts';
import { EventDetails } from './event-details.tsx';
import { inWords } from './event-words.ts';
import { givenOf, understand } from './filter.ts';
import { FilterForm } from './filter-form.tsx';

export const generateMetadata = titled('Audit log');

const HERE = '/admin/audit';

export default function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: HERE, path: HERE, searchParams }, async ({ actor, query }) => {
    await enter(actor, { action: 'audit.read' });
    const given = givenOf(query);
    const { filter, faults } = await understand(actor, given);
    const { cursor = '', order = '' } = query;
    const page = await pageAudit(actor, { counted: true, ...filter, cursor, order });
    return (
      <>
        <Title lead={say('Who did what, to whom, and when. Nobody can change it.')}>{say('Audit log')}</Title>
        <FilterForm action={HERE} given={given} order={order} events={[...EVENT_FAMILIES, ...EVENT_NAMES]} />
        {faults.length > 0 && (
          <Callout tone="refused">
            {faults.map((fault) => (
              <p key={fault}>{fault}</p>
            ))}
          </Callout>
        )}
        <Ordered path={HERE} query={{ ...given, order, cursor }} page={page} orders={{ at: say('Time') }}>
          {page.rows.length === 0 ? (
            <p className="soft nothing">
              {Object.values(given).some(Boolean)
                ? say('No events match. Remove a filter.')
                : say('No events yet.')}
              {given.request !== '' &&
                ` ${say(
                  'A request of a client that was refused is no event: it is on the client’s page, under Requests, and in the log.',
                )}`}
            </p>
          ) : (
            <List label={say('Events')}>
              {page.rows.map((row) => (
                <EventItem key={row.id} row={row} />
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}

function EventItem({ row }: { row: AuditEntry }) {
  const { actor, personId, clientId, apiId } = row;
  const person = personId !== null && personId !== actor;
  return (
    <Row title={say(inWords(row.event))} pills={<code>{row.event}</code>} side={<When at={row.at} />}>
      <p className="dots">
        {actor !== null && (
          <span>
            <Say text="by {who}" values={{ who: <Who id={actor} label={row.actorEmail} /> }} />
          </span>
        )}
        {person && (
          <span>
            <Say
              text={actor === null ? '{who}' : toSay('to {who}')}
              values={{ who: <Who id={personId} label={row.personEmail} /> }}
            />
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
        {row.authMethodId !== null && (
          <span>
            <Say
              text="method {id}"
              values={{
                id: <a href={path('admin', 'auth-methods', row.authMethodId)}>{row.authMethodId}</a>,
              }}
            />
          </span>
        )}
      </p>
      <EventDetails row={row} />
    </Row>
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
