// Subscription as a developer sees it: the form of the request, and the current state.
import type { ComponentProps } from 'react';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Check, Checks } from '#app/(console)/_kit/choices.tsx';
import { ASKED_ID } from '#app/(console)/_kit/console-form.ts';
import type { FormValues } from '#app/(console)/_kit/draft.ts';
import { TextArea } from '#app/(console)/_kit/fields.tsx';
import { Form } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Callout, Fact, Facts, Panel, StatePills, Title, When } from '#app/(console)/_kit/pieces.tsx';
import {
  ceilingOf,
  deviceMeans,
  IDLE_WORDS,
  machineMeans,
  STATE_WORDS,
  trustedMeans,
} from '#app/(console)/_kit/subscription-words.ts';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { clientPath, isBackground, listOf } from '#app/(console)/_subjects/client-kinds.ts';
import { History } from '#app/(console)/_subjects/subscription-facts.tsx';
import { TermsFacts } from '#app/(console)/_subjects/subscription-terms.tsx';
import { currentWords, Say, say, sayText } from '#app/(console)/_texts/say.tsx';
import { listCatalogue } from '#lib/catalogue/apis/operations.ts';
import type { CatalogueEntry } from '#lib/catalogue/apis/rows.ts';
import { readClient } from '#lib/catalogue/clients/operations.ts';
import { deviceFault, reachOf, trustFault } from '#lib/catalogue/subscriptions/definition.ts';
import {
  previewSubscriptionChange,
  readSubscription,
  type SubscriptionView,
} from '#lib/catalogue/subscriptions/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { readPublishedApi } from '#lib/oauth/metadata.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const generateMetadata = pageTitle('Subscription');

type Props = { params: Promise<{ clientId: string; apiId: string }>; searchParams: SearchParams };

export default async function SubscriptionPage({ params, searchParams }: Props) {
  const { clientId, apiId } = await readPath(params);
  const path = clientPath('developer', clientId, 'apis', apiId);
  return visit({ area: 'developer', here: '/developer', path, searchParams }, async (visited) => {
    const { actor, form, typed } = visited;
    const client = await readClient(actor, { clientId });
    const api = await reachApi(actor, { clientId, apiId });
    const takesDevice = (await readPublishedApi(apiId))?.deviceGrant === 'on';
    const [clientName, apiName] = [plainText(client.name), plainText(api.name)];
    const subscriptionView = api.subscription
      ? await readSubscription(actor, { clientId, api: apiId })
      : null;
    const asks = subscriptionView === null || subscriptionView.may.request;
    const name = asks ? 'subscription-request' : 'subscription-change';
    const values = typed(name);
    const returns =
      !asks &&
      values.confirming &&
      (
        await previewSubscriptionChange(actor, {
          clientId,
          api: apiId,
          trusted: values.isTicked('trusted'),
          machine: values.isTicked('machine'),
          device: values.isTicked('device'),
          scopes: ceilingOf([...values.list('scopes')], api.scopes),
        })
      ).to === 'pending';
    return (
      <>
        <Title
          back={[listOf('developer'), { href: clientPath('developer', clientId), label: clientName }]}
          actions={
            <a
              className="button plain small"
              href={`${clientPath('developer', clientId, 'why')}?${new URLSearchParams({ api: apiId })}`}
            >
              {say('Why?')}
            </a>
          }
          lead={
            plainText(api.description) ||
            say('The access of {application} to {api}, and its limits.', {
              application: clientName,
              api: apiName,
            })
          }
        >
          {clientName} → {apiName}
        </Title>
        {subscriptionView && <Subscribed of={subscriptionView} api={api} background={isBackground(client)} />}
        {(asks || subscriptionView?.may.change) && (
          <Panel
            id="request"
            heading={
              subscriptionView === null
                ? say('Subscribe')
                : asks
                  ? say('Request again')
                  : say('Change subscription')
            }
            lead={
              subscriptionView === null && api.requireApproval
                ? say('Every subscription to {api} needs approval.', { api: apiName })
                : undefined
            }
          >
            <RequestForm
              {...{ clientId, api, stored: subscriptionView, returns, typed: values }}
              takesMachine={client.kind === 'confidential'}
              takesDevice={takesDevice}
              background={isBackground(client)}
              start={await form(name)}
              submit={
                subscriptionView === null
                  ? say('Subscribe')
                  : asks
                    ? say('Request again')
                    : say('Save changes')
              }
            />
          </Panel>
        )}
      </>
    );
  });
}

type RequestFormProps = {
  clientId: string;
  api: CatalogueEntry;
  /** the client can request tokens in its own name, because it can keep a secret or key */
  takesMachine: boolean;
  /** the API accepts clients that run on devices */
  takesDevice: boolean;
  /** background client: the form of a new request preselects `machine` (tokens without a user) */
  background: boolean;
  start: FormStart;
  typed: FormValues;
  /** the subscription that is being changed; null: a new request */
  stored: SubscriptionView | null;
  /** a saved change returns the subscription to pending */
  returns: boolean;
  submit: string;
};

function RequestForm(props: RequestFormProps) {
  const { clientId, api, takesMachine, takesDevice, background, start, typed, stored, returns, submit } =
    props;
  const { told } = currentWords();
  const apiName = plainText(api.name);
  const all = api.scopes.map(({ name }) => name);
  const reach = stored ? reachOf(stored).map(({ name }) => name) : all;
  return (
    <Form
      {...start}
      fields={{ clientId, api: api.id, ...(stored && { version: stored.version }) }}
      submit={returns ? say('Save anyway') : submit}
    >
      {all.length > 0 && (
        <Checks
          name="scopes"
          label={say('Scopes to request')}
          hint={say(
            'The application can request at most these scopes on the sign-in page. Fewer scopes are easier to approve.',
          )}
          options={api.scopes.map(({ name, description }) => ({
            value: name,
            label: sayText(description) || name,
            note: <code>{name}</code>,
          }))}
          values={typed.list('scopes', reach)}
        />
      )}
      {trustFault(api.id, true, null) === null && (
        <Power
          legend={say('Trust')}
          name="trusted"
          checked={typed.isTicked('trusted', stored?.trusted ?? false)}
          label={say('Request a trusted subscription')}
          note={say('Trusted means: {what} This needs approval, so explain the reason below.', {
            what: told(trustedMeans(apiName)),
          })}
        />
      )}
      {takesMachine && (
        <Power
          legend={say('Machine')}
          name="machine"
          checked={typed.isTicked('machine', stored?.machine ?? background)}
          label={say('Request tokens without a person')}
          note={say('This means: {what} It needs approval, so explain the reason below.', {
            what: told(machineMeans({ api: api.id, apiName })),
          })}
        />
      )}
      {(takesDevice || stored?.device) && deviceFault(api.id, true, null) === null && (
        <Power
          legend={say('Device')}
          name="device"
          checked={typed.isTicked('device', stored?.device ?? false)}
          label={say('Request to connect devices')}
          note={say('This means: {what} It needs approval, so explain the reason below.', {
            what: told(deviceMeans(apiName)),
          })}
        />
      )}
      <TextArea
        name="message"
        label={say('Message to the approver')}
        optional
        rows={4}
        maxLength={2000}
        hint={say(
          'Describe who uses the application and why it needs this access. Requests without a reason are usually rejected.',
        )}
        value={typed.one('message', stored?.message ?? '')}
      />
      {returns && (
        <Callout tone="refused" landing={ASKED_ID}>
          <p>
            <Say
              text="{warning} The subscription then needs approval again, and the application gets no tokens for {api} until it is approved."
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

type SubscribedProps = {
  of: SubscriptionView;
  api: CatalogueEntry;
  /** the client is a background client, because it has no redirect address */
  background: boolean;
};

/** The state of a subscription, as the developer sees it. */
function Subscribed({ of, api, background }: SubscribedProps) {
  const works = of.state === 'approved' && api.methods.length > 0;
  const idle = of.state === 'approved' && background && !of.machine;
  const decided = of.decidedByEmail && of.decidedAt && of.state !== 'pending';
  return (
    <>
      {of.state === 'rejected' && (
        <Callout tone="refused">
          <p>
            <strong>
              {of.decidedByEmail ? say('Rejected by {who}.', { who: of.decidedByEmail }) : say('Rejected.')}
            </strong>
          </p>
          {of.reason && <blockquote>{of.reason}</blockquote>}
        </Callout>
      )}
      <Panel
        id="state"
        heading={say('State')}
        aside={
          <span className="pills">
            <StatePills of={of} />
          </span>
        }
        lead={say(idle ? IDLE_WORDS : STATE_WORDS[of.state])}
      >
        <Facts>
          <Fact name={say('Allowed scopes')}>
            <ul>
              {reachOf(of).map(({ name, description }) => (
                <li key={name}>
                  {sayText(description) || name} <code>{name}</code>
                </li>
              ))}
            </ul>
          </Fact>
          <TermsFacts of={of} />
          {of.message && (
            <Fact name={say('Your message')}>
              <blockquote>{of.message}</blockquote>
            </Fact>
          )}
          {of.state === 'suspended' && of.reason && <Fact name={say('Why')}>{of.reason}</Fact>}
          {decided && (
            <Fact name={say('Decided')}>
              <Say
                text="by {who}, {time}"
                values={{ who: of.decidedByEmail, time: <When at={of.decidedAt} /> }}
              />
            </Fact>
          )}
          <Fact name={say('Sign-in methods')}>
            {api.methods.map(({ name }) => sayText(name)).join(', ') || say('None yet')}
          </Fact>
        </Facts>
        {(works || of.may.cancel) && (
          <div className="form-actions">
            {works && (
              <>
                <a
                  className="button plain"
                  href={`${clientPath('developer', of.clientId, 'code')}?${new URLSearchParams({ api: of.api })}`}
                >
                  {say('Starter code')}
                </a>
                {!background && (
                  <a
                    className="button plain"
                    href={`/developer/playground?${new URLSearchParams({ client: of.clientId })}`}
                  >
                    {say('Try it in the playground')}
                  </a>
                )}
              </>
            )}
            {of.may.cancel && (
              <a
                className="button danger"
                href={clientPath('developer', of.clientId, 'apis', of.api, 'cancel')}
              >
                {of.state === 'approved'
                  ? say('Unsubscribe (revokes its tokens)…')
                  : say('Withdraw the request…')}
              </a>
            )}
          </div>
        )}
      </Panel>
      <History of={of} />
    </>
  );
}

/** Returns the entry of the API in the catalogue of this client. */
async function reachApi(
  actor: Actor,
  { clientId, apiId }: { clientId: string; apiId: string },
): Promise<CatalogueEntry> {
  const api = (await listCatalogue(actor, { clientId })).find(({ id }) => id === apiId);
  if (!api) throw new Refused('api.unknown', { api: apiId });
  return api;
}

function Power({ legend, ...check }: { legend: string } & ComponentProps<typeof Check>) {
  return (
    <fieldset className="group">
      <legend>{legend}</legend>
      <Check {...check} />
    </fieldset>
  );
}
