import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { ask } from '#app/(console)/_subjects/object-forms.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { retirePath } from '../../../forms.ts';

export const generateMetadata = pageTitle('Retire key');

type Props = { params: Promise<{ kid: string }>; searchParams: SearchParams };

export default async function RetireKeyPage({ params, searchParams }: Props) {
  const { kid } = await readPath(params);
  const page = { area: 'admin', here: '/admin/keys', path: retirePath(kid), searchParams } as const;
  return visit(page, async (visited) => (
    <>
      <Title back={{ href: '/admin/keys', label: say('Keys') }}>{say('Retire key')}</Title>
      {await ask(visited, 'key-retire', { fields: { kid }, of: kid, leave: '/admin/keys' })}
    </>
  ));
}
