import type { CatalogueEntry } from '#lib/management/registry/apis.ts';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { deviceFault, reachOf, trustFault } from '#lib/registry/objects/subscription-states.ts';
import { ASKED_ID } from '../_forms/confirm.ts';
import { Say, say, sayText, spoken } from '../_texts/say.tsx';
import { Check, Checks } from '../_ui/choices.tsx';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { deviceMeans, machineMeans, trustedMeans } from '../_ui/subscription-words.ts';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';

type RequestFormProps = {
  clientId: string;
  api: CatalogueEntry;
  /** the client can keep a secret or a key, so it may ask for tokens in its own name */
  takesMachine: boolean;
  /** the API connects devices */
  takesDevice: boolean;
  /** the client runs in the background, so that a new request asks for these tokens */
  background: boolean;
  start: FormStart;
  typed: FormValues;
  /** the subscription that this changes or asks for again; null: there is none yet */
  stored: SubscriptionView | null;
  /** saving puts the subscription back to pending */
  returns: boolean;
  submit: string;
};

export function RequestForm(props: RequestFormProps) {
  const { clientId, api, takesMachine, takesDevice, background, start, typed, stored, returns, submit } =
    props;
  const { told } = spoken();
  const apiName = plainText(api.name);
  const all = api.scopes.map(({ name }) => name);
  const reach = stored ? reachOf(stored).map(({ name }) => name) : all;
  return (
    <Form
      {...start}
      fields={{ clientId, api: api.id, ...(stored && { version: stored.version }) }}
      submit={returns ? say('Save it anyway') : submit}
    >
      {all.length > 0 && (
        <Checks
          name="scopes"
          label={say('What it needs')}
          hint={say('What it may ask for on the sign-in page, and no more. Less is easier to approve.')}
          options={api.scopes.map(({ name, description }) => ({
            value: name,
            label: sayText(description) || name,
            note: <code>{name}</code>,
          }))}
          values={typed.list('scopes', reach)}
        />
      )}
      {trustFault(api.id, true) === null && (
        <fieldset className="group">
          <legend>{say('Trust')}</legend>
          <Check
            name="trusted"
            checked={typed.checked('trusted', stored?.trusted ?? false)}
            label={say('Ask for a trusted subscription')}
            note={say('Trusted means: {what} It needs approval, so say why below.', {
              what: told(trustedMeans(apiName)),
            })}
          />
        </fieldset>
      )}
      {takesMachine && (
        <fieldset className="group">
          <legend>{say('Machine')}</legend>
          <Check
            name="machine"
            checked={typed.checked('machine', stored?.machine ?? background)}
            label={say('Ask for tokens without a person')}
            note={say('That means: {what} It needs approval, so say why below.', {
              what: told(machineMeans({ api: api.id, apiName })),
            })}
          />
        </fieldset>
      )}
      {(takesDevice || stored?.device) && deviceFault(api.id, true, null) === null && (
        <fieldset className="group">
          <legend>{say('Device')}</legend>
          <Check
            name="device"
            checked={typed.checked('device', stored?.device ?? false)}
            label={say('Ask to connect devices')}
            note={say('That means: {what} It needs approval, so say why below.', {
              what: told(deviceMeans(apiName)),
            })}
          />
        </fieldset>
      )}
      <TextArea
        name="message"
        label={say('Message to the approver')}
        optional
        rows={4}
        maxLength={2000}
        hint={say(
          'Who uses the application, and why it needs this. Requests without a reason are usually declined.',
        )}
        value={typed.one('message', stored?.message ?? '')}
      />
      {returns && (
        <Callout tone="refused" landing={ASKED_ID}>
          <p>
            <Say
              text="{warning} The subscription waits for approval again, and the application gets no tokens for {api} until it is approved."
              values={{
                warning: <strong>{say('Saving this has a consequence.')}</strong>,
                api: apiName,
              }}
            />
          </p>
          <input type="hidden" name="confirmed" value="pending" />
        </Callout>
      )}
    </Form>
  );
}
