import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { path as pathOf } from '#app/(console)/_kit/console-form.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Managed, Panel, StatePills, Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { Decide, RequestFacts } from '#app/(console)/_subjects/subscription-decision.tsx';
import { History } from '#app/(console)/_subjects/subscription-facts.tsx';
import { Terms } from '#app/(console)/_subjects/subscription-terms.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { previewDecision, readSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { enter } from '#lib/management/operations.ts';
import { mayDo } from '#lib/management/policy.ts';

export const generateMetadata = pageTitle('Subscription');

type Props = { params: Promise<{ clientId: string; apiId: string }>; searchParams: SearchParams };

export default async function SubscriptionPage({ params, searchParams }: Props) {
  const { clientId, apiId } = await readPath(params);
  const path = pathOf('admin', 'subscriptions', clientId, apiId);
  const page = { area: 'admin', here: '/admin/subscriptions', path, searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'subscriptions.decide' });
    const of = await readSubscription(actor, { clientId, api: apiId });
    return (
      <>
        <Title
          back={{ href: '/admin/subscriptions', label: say('Subscriptions') }}
          actions={
            <>
              <a
                className="button plain small"
                href={`${pathOf('admin', 'apis', apiId, 'why')}?${new URLSearchParams({ client: clientId })}`}
              >
                {say('Why?')}
              </a>
              {mayDo(actor, 'clients.see-all') && (
                <a className="button plain small" href={pathOf('admin', 'clients', clientId)}>
                  {say('The client')}
                </a>
              )}
            </>
          }
        >
          <span>
            <Name>{of.clientName}</Name> → <Name>{of.apiName}</Name>
          </span>
          <StatePills of={of} />
          {of.managed && <Managed />}
        </Title>
        <Panel id="request" heading={say('The request')}>
          <Decide
            of={of}
            start={await form('decide')}
            typed={typed('decide')}
            from="subscription"
            ends={await previewDecision(actor, { clientId, api: apiId })}
          >
            <RequestFacts of={of} />
          </Decide>
        </Panel>
        <Terms of={of} start={await form('terms')} typed={typed('terms')} />
        <History of={of} />
      </>
    );
  });
}
