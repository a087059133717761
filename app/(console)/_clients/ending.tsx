// What stops a client: for a while, or for good. An unregistered one is blocked, others are disabled: the same switch.
import type { ClientDetail } from '#lib/management/index.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { Visit } from '../_visit/visit.tsx';

type EndingProps = { area: Area; client: ClientDetail; form: Visit['form']; mayEnable: boolean };

export async function Ending({ area, client, form, mayEnable }: EndingProps) {
  const start = await form(client.disabled ? 'client-enable' : 'client-disable');
  const isUnregistered = client.origin !== null;
  const [stop, go] = isUnregistered ? ['Block', 'Unblock'] : ['Disable it', 'Enable it'];
  return (
    <Panel
      id="ending"
      heading="Stop it"
      lead={isUnregistered ? unregisteredWords(client) : words(client, mayEnable)}
    >
      <div className="form-actions">
        {(!client.disabled || mayEnable) && (
          <Form {...start} className="inline">
            <input type="hidden" name="clientId" value={client.clientId} />
            <Submit tone={client.disabled ? 'plain' : 'danger'}>{client.disabled ? go : stop}</Submit>
          </Form>
        )}
        <a className="button danger" href={clientPath(area, client.clientId, 'revoke')}>
          Revoke all…
        </a>
        <a className="button danger" href={clientPath(area, client.clientId, 'delete')}>
          Delete it…
        </a>
      </div>
    </Panel>
  );
}

const ENDED = 'Revoking all ends every token and consent that it has; it may ask for new ones.';
const FORGOTTEN = 'Deleting forgets it: the next person who comes with it makes a new request.';
const unregisteredWords = ({ disabled }: ClientDetail) =>
  disabled
    ? `A blocked application gets nothing, for any person. ${FORGOTTEN}`
    : `Blocking ends its access at once, at every API, until it is unblocked. ${ENDED} ${FORGOTTEN}`;

function words({ disabled }: ClientDetail, mayEnable: boolean): string {
  if (disabled) return 'A disabled client keeps its registration. Deleting ends everything for good.';
  const again = mayEnable ? '' : '; only an administrator can enable it again';
  return `Disabling stops it at once, ends its tokens and keeps its registration${again}. ${ENDED} Deleting ends everything for good.`;
}
