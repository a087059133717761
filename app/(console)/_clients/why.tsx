// "Why?" of a client: would it get a token of an API, and if not, which step refuses it?
import { mayDo } from '#lib/management/core/policy.ts';
import { listPublishedApis } from '#lib/oauth/endpoints/published.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { Empty } from '../_ui/pieces.tsx';
import { SelectField } from '../_ui/select-field.tsx';
import { WhyAnswer } from '../_why/answer.tsx';
import { WhyQuestion, whyAsked } from '../_why/question.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

export function whyPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'why' }, async ({ actor, query, client }) => {
    const { clientId } = client;
    const apis = await listPublishedApis();
    const asked = whyAsked({ ...query, client: clientId });
    if (apis.length === 0)
      return (
        <Empty heading={say('There is no API yet')}>
          <p>
            {say('Once one is published, this page says whether the application would get a token for it.')}
          </p>
        </Empty>
      );
    const methods = new Map(apis.flatMap((api) => api.issuers.map(({ method }) => [method.id, method.name])));
    return (
      <>
        <WhyQuestion
          path={clientPath(area, clientId, 'why')}
          {...{ asked, methods: [...methods] }}
          apis={apis.map(({ id, name }) => [id, name])}
          others={mayDo(actor, 'people.read')}
          own={client.kind === 'confidential'}
        >
          <SelectField
            name="api"
            label={say('API')}
            value={asked.api || (apis[0]?.id ?? '')}
            groups={[['', apis.map(({ id, name }) => [id, name] as const)]]}
          />
        </WhyQuestion>
        <WhyAnswer {...{ actor, asked }} />
      </>
    );
  });
}
