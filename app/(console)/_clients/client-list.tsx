import { Name } from '#app/_components/name.tsx';
import type { ClientRow } from '#lib/registry/index.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath, SHORT_KINDS } from '../_objects/client-kinds.ts';
import { List, Row } from '../_ui/list.tsx';
import { Managed, Pill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

export function ClientList({ rows, area }: { rows: ClientRow[]; area: Area }) {
  if (rows.length === 0) return <p className="soft nothing">No matches. Try part of a name or an id.</p>;
  return (
    <List label={area === 'admin' ? 'Clients' : 'Applications'}>
      {rows.map((row) => (
        <Row
          key={row.clientId}
          href={clientPath(area, row.clientId)}
          title={<Name>{row.name}</Name>}
          pills={
            <>
              <Pill tone="neutral">{SHORT_KINDS[row.kind]}</Pill>
              {row.disabled && <Pill tone="refused">disabled</Pill>}
              {row.pending > 0 && <Pill tone="waiting">{row.pending} waiting</Pill>}
              {row.managed && <Managed />}
            </>
          }
          side={<When at={row.createdAt} />}
        >
          <code>{row.clientId}</code>
          {' · '}
          {row.subscriptions === 0
            ? 'no API yet'
            : `${row.subscriptions} ${row.subscriptions === 1 ? 'API' : 'APIs'}`}
          {area === 'admin' && row.ownerEmail && ` · ${row.ownerEmail}`}
        </Row>
      ))}
    </List>
  );
}
