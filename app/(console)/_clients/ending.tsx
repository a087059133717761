// What stops a client: for a while, or for good. An unregistered one is blocked, others are disabled: the same switch.

import type { ReactNode } from 'react';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { Visit } from '../_visit/visit.tsx';

type EndingProps = {
  area: Area;
  client: ClientDetail;
  form: Visit['form'];
  mayEnable: boolean;
  /** what blocking ends; an unregistered client is blocked on this page */
  blocking: ReactNode;
};

export async function Ending({ area, client, form, mayEnable, blocking }: EndingProps) {
  const { clientId, disabled } = client;
  const isUnregistered = client.origin !== null;
  const link = (step: string) => clientPath(area, clientId, step);
  return (
    <Panel
      id="ending"
      heading={say('Stop it')}
      lead={isUnregistered ? unregisteredWords(client) : words(client, mayEnable)}
    >
      {!disabled && isUnregistered && (
        <Form
          {...(await form('client-disable'))}
          fields={{ clientId, here: 'yes' }}
          submit={say('Block')}
          tone="danger"
        >
          {blocking}
        </Form>
      )}
      <div className="form-actions">
        {!disabled && !isUnregistered && (
          <a className="button danger" href={link('disable')}>
            {say('Disable it…')}
          </a>
        )}
        {disabled && mayEnable && (
          <Form {...(await form('client-enable'))} className="inline" fields={{ clientId }}>
            <Submit tone="plain">{isUnregistered ? say('Unblock') : say('Enable it')}</Submit>
          </Form>
        )}
        <a className="button danger" href={link('revoke')}>
          {say('Revoke all…')}
        </a>
        <a className="button danger" href={link('delete')}>
          {say('Delete it…')}
        </a>
      </div>
    </Panel>
  );
}

const ended = () => say('Revoking all ends every token and consent that it has; it may ask for new ones.');

function unregisteredWords({ disabled }: ClientDetail): string {
  const forgotten = say('Deleting forgets it: the next person who comes with it makes a new request.');
  if (disabled) return `${say('A blocked application gets nothing, for any person.')} ${forgotten}`;
  const blocked = say('Blocking ends its access at once, at every API, until it is unblocked.');
  return `${blocked} ${ended()} ${forgotten}`;
}

function words({ disabled }: ClientDetail, mayEnable: boolean): string {
  if (disabled) return say('A disabled client keeps its registration. Deleting ends everything for good.');
  const disabling = mayEnable
    ? say('Disabling stops it at once, ends its tokens and keeps its registration.')
    : say(
        'Disabling stops it at once, ends its tokens and keeps its registration; only an administrator can enable it again.',
      );
  return `${disabling} ${ended()} ${say('Deleting ends everything for good.')}`;
}
