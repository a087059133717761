// The page "Why?" of an API, for its approvers: lists which clients would get a token, and the step that rejects the
// others.

import { readPath } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { path as pathOf } from '#app/(console)/_kit/console-form.ts';
import { TextField } from '#app/(console)/_kit/fields.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Empty, noCredential, Title } from '#app/(console)/_kit/pieces.tsx';
import { SelectField } from '#app/(console)/_kit/select-field.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import type { ApiPageProps } from '#app/(console)/_subjects/object-pages.tsx';
import { WhyAnswer, WhyQuestion, whyAsked } from '#app/(console)/_subjects/why.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readDecidedApi } from '#lib/management/explanation.ts';
import { mayDo } from '#lib/management/policy.ts';
import { pageSubscriptions } from '#lib/management/subscriptions.ts';
import { listPublishedApis, readPublishedApi } from '#lib/oauth/metadata.ts';
import { plainText } from '#lib/registry/display-text.ts';
import type { SubscriptionRow } from '#lib/registry/subscription.ts';

export const generateMetadata = pageTitle('Why?');

/** Maximum number of subscriptions for which the page offers a list of clients. With more, users type the client. */
const MOST_OFFERED = 200;

export default async function ApiWhyPage({ params, searchParams }: ApiPageProps) {
  const { apiId } = await readPath(params);
  const path = pathOf('admin', 'apis', apiId, 'why');
  return visit({ area: 'admin', here: '/admin/apis', path, searchParams }, async ({ actor, query }) => {
    const api = await readDecidedApi(actor, { id: apiId });
    const { rows, next } = await pageSubscriptions(actor, { api: apiId, order: 'name', limit: MOST_OFFERED });
    const issuers = (await readPublishedApi(apiId))?.issuers ?? [];
    const published = await listPublishedApis();
    const question = whyAsked({ ...query, api: apiId });
    const back = mayDo(actor, 'registry.read')
      ? { href: pathOf('admin', 'apis', apiId), label: say('The API') }
      : { href: '/admin/subscriptions', label: say('Subscriptions') };
    return (
      <>
        <Title back={back}>
          <Name>{api.name}</Name>
        </Title>
        {rows.length === 0 ? (
          <Empty heading={say('No subscriptions yet')}>
            <p>
              {say('Subscriptions appear on this page when developers request them in the API catalogue.')}
            </p>
          </Empty>
        ) : (
          <>
            <WhyQuestion
              {...{ path, asked: question }}
              methods={issuers.map(({ method }) => [method.id, method.name])}
              apis={published.map(({ id, name }) => [id, name])}
              others={mayDo(actor, 'people.read')}
              own
            >
              <ClientField rows={rows} isAll={next === null} value={question.client} />
            </WhyQuestion>
            <WhyAnswer {...{ actor, asked: question }} />
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
      hint={say('The client_id of one of the API’s subscriptions.')}
      suggestions={options.map(([id, name]) => ({ value: id, label: name }))}
      code
      {...{ label, value }}
    />
  );
}
