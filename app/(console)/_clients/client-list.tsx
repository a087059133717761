import { Name } from '#app/_components/name.tsx';
import type { Page } from '#lib/management/core/page.ts';
import type { ClientRow } from '#lib/registry/clients/client.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath, SHORT_KINDS } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { Dots, List, Ordered, Row } from '../_ui/list.tsx';
import { Managed, Pill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

type ClientListProps = {
  actor: { id: string };
  path: string;
  query: Record<string, string>;
  page: Page<ClientRow>;
  area: Area;
};

export async function ClientList({ actor, page, area, ...of }: ClientListProps) {
  return (
    <Ordered
      {...of}
      page={page}
      orders={{ name: say('Name'), created: say('Created'), id: say('Client id') }}
    >
      {page.rows.length === 0 ? (
        <p className="soft nothing">{say('No matches. Try part of a name or an id.')}</p>
      ) : (
        <Clients rows={page.rows} area={area} />
      )}
    </Ordered>
  );
}

function Clients({ rows, area }: { rows: ClientRow[]; area: Area }) {
  return (
    <List label={area === 'admin' ? say('Clients') : say('Applications')}>
      {rows.map((row) => (
        <Row
          key={row.clientId}
          href={clientPath(area, row.clientId)}
          title={<Name>{row.name}</Name>}
          pills={
            <>
              <Pill tone="neutral">{say(SHORT_KINDS[row.kind])}</Pill>
              {row.disabled && <Pill tone="refused">{say('disabled')}</Pill>}
              {row.pending > 0 && (
                <Pill tone="waiting">{say('{count} waiting', { count: row.pending })}</Pill>
              )}
              {row.managed && <Managed />}
            </>
          }
          side={<When at={row.createdAt} />}
        >
          <Dots>
            <code>{row.clientId}</code>
            {say('{count, plural, =0 {no API yet} one {# API} other {# APIs}}', {
              count: row.subscriptions,
            })}
            {area === 'admin' && row.ownerEmail}
          </Dots>
        </Row>
      ))}
    </List>
  );
}
