import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { clientPath, listOf } from '#app/(console)/_subjects/client-kinds.ts';
import { AskedInVain, ask } from '#app/(console)/_subjects/object-forms.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { readSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const generateMetadata = pageTitle('Unsubscribe');

type Props = { params: Promise<{ clientId: string; apiId: string }>; searchParams: SearchParams };

export default async function CancelPage({ params, searchParams }: Props) {
  const { clientId, apiId } = await readPath(params);
  const leave = clientPath('developer', clientId, 'apis', apiId);
  const page = { area: 'developer', here: '/developer', path: `${leave}/cancel`, searchParams } as const;
  return visit(page, async (visited) => {
    const { clientName, apiName, may } = await readSubscription(visited.actor, { clientId, api: apiId });
    const [client, api] = [plainText(clientName), plainText(apiName)];
    return (
      <>
        <Title
          back={[
            listOf('developer'),
            { href: clientPath('developer', clientId), label: client },
            { href: leave, label: api },
          ]}
        >{`${client} → ${api}`}</Title>
        {may.cancel ? (
          await ask(visited, 'subscription-cancel', { fields: { clientId, api: apiId }, of: api, leave })
        ) : (
          <AskedInVain why={say('There is no subscription to cancel.')} leave={leave} />
        )}
      </>
    );
  });
}
