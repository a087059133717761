import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { ceilingOf } from '#app/(console)/_kit/subscription-words.ts';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { clientPath, isBackground } from '#app/(console)/_subjects/client-kinds.ts';
import { RequestForm, reachApi, Subscribed } from '#app/(console)/_subjects/own-subscription.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readClient } from '#lib/management/clients.ts';
import { previewSubscriptionChange, readSubscription } from '#lib/management/subscriptions.ts';
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
          back={{ href: clientPath('developer', clientId), label: clientName }}
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
