// "Why?" of an API, for those who decide about it: which of its clients would get a token, and which step refuses one?
import { Name } from '#app/_components/name.tsx';
import { readPath } from '#app/_components/page-input.ts';
import { path as pathOf } from '#app/(console)/_forms/form.ts';
import type { ApiPageProps } from '#app/(console)/_registry/visit-api.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { TextField } from '#app/(console)/_ui/fields.tsx';
import { noCredential } from '#app/(console)/_ui/no-credential.ts';
import { Empty, Title } from '#app/(console)/_ui/pieces.tsx';
import { SelectField } from '#app/(console)/_ui/select-field.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { WhyAnswer } from '#app/(console)/_why/answer.tsx';
import { WhyQuestion, whyAsked } from '#app/(console)/_why/question.tsx';
import { mayDo } from '#lib/management/core/policy.ts';
import { readDecidedApi } from '#lib/management/service/explanation.ts';
import { pageSubscriptions } from '#lib/management/subscriptions/subscription-view.ts';
import { listPublishedApis, readPublishedApi } from '#lib/oauth/endpoints/published.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';

export const generateMetadata = titled('Why?');

/** With more subscriptions than these, the client is typed. */
const MOST_OFFERED = 200;

export default async function ApiWhyPage({ params, searchParams }: ApiPageProps) {
  const { apiId } = await readPath(params);
  const path = pathOf('admin', 'apis', apiId, 'why');
  return visit({ area: 'admin', here: '/admin/apis', path, searchParams }, async ({ actor, query }) => {
    const api = await readDecidedApi(actor, { id: apiId });
    const { rows, next } = await pageSubscriptions(actor, { api: apiId, order: 'name', limit: MOST_OFFERED });
    const issuers = (await readPublishedApi(apiId))?.issuers ?? [];
    const published = await listPublishedApis();
    const asked = whyAsked({ ...query, api: apiId });
    const back = mayDo(actor, 'registry.read')
      ? { href: pathOf('admin', 'apis', apiId), label: say('The API') }
      : { href: '/admin/subscriptions', label: say('Subscriptions') };
    return (
      <>
        <Title back={back}>
          <Name>{api.name}</Name>
        </Title>
        {rows.length === 0 ? (
          <Empty heading={say('No subscription yet')}>
            <p>{say('Developers ask for them in the API catalogue; then they appear here.')}</p>
          </Empty>
        ) : (
          <>
            <WhyQuestion
              {...{ path, asked }}
              methods={issuers.map(({ method }) => [method.id, method.name])}
              apis={published.map(({ id, name }) => [id, name])}
              others={mayDo(actor, 'people.read')}
              own
            >
              <ClientField rows={rows} isAll={next === null} value={asked.client} />
            </WhyQuestion>
            <WhyAnswer {...{ actor, asked }} />
          </>
        )}
      </>
    );
  });
}

function ClientField({ rows, isAll, value }: { rows: SubscriptionRow[]; isAll: boolean; value: string }) {
  const label = say('Application');
  const options = rows.map(({ clientId, clientName }) => [clientId, plainText(clientName)] as const);
  if (isAll)
    return (
      <SelectField
        name="client"
        value={value || (options[0]?.[0] ?? '')}
        groups={[['', options]]}
        {...{ label }}
      />
    );
  return (
    <TextField
      name="client"
      {...noCredential()}
      hint={say('The client_id of one of its subscriptions.')}
      suggestions={options.map(([id, name]) => ({ value: id, label: name }))}
      code
      {...{ label, value }}
    />
  );
}
