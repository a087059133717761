import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { ask } from '#app/(console)/_objects/ask.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Title } from '#app/(console)/_ui/pieces.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { retirePath } from '../../forms.ts';

export const generateMetadata = titled('Retire a key');

type Props = { params: Promise<{ kid: string }>; searchParams: SearchParams };

export default async function RetireKeyPage({ params, searchParams }: Props) {
  const { kid } = await readPath(params);
  const page = { area: 'admin', here: '/admin/keys', path: retirePath(kid), searchParams } as const;
  return visit(page, async (visited) => (
    <>
      <Title back={{ href: '/admin/keys', label: say('Keys') }}>{say('Retire a key')}</Title>
      {await ask(visited, 'key-retire', { fields: { kid }, of: kid, leave: '/admin/keys' })}
    </>
  ));
}
