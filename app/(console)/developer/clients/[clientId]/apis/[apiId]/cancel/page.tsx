import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { AskedInVain, ask } from '#app/(console)/_objects/ask.tsx';
import { clientPath } from '#app/(console)/_objects/client-kinds.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { readSubscription } from '#lib/management/subscriptions/subscription-view.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';

export const generateMetadata = titled('Unsubscribe');

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
        <Title back={{ href: leave, label: say('The subscription') }}>{`${client} → ${api}`}</Title>
        {may.cancel ? (
          await ask(visited, 'subscription-cancel', { fields: { clientId, api: apiId }, of: api, leave })
        ) : (
          <AskedInVain why={say('There is no subscription to end.')} leave={leave} />
        )}
      </>
    );
  });
}
