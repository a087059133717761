import type { Metadata } from 'next';
import { readPath, type SearchParams } from '#app/_components/page-input.ts';
import { Consequences } from '#app/(console)/_objects/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { previewKeyRetirement } from '#lib/management/index.ts';
import { retirePath } from '../../forms.ts';

export const metadata: Metadata = { title: 'Retire a key' };

type Props = { params: Promise<{ kid: string }>; searchParams: SearchParams };

export default async function RetireKeyPage({ params, searchParams }: Props) {
  const { kid } = await readPath(params);
  const page = { area: 'admin', here: '/admin/keys', path: retirePath(kid), searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    const consequences = await previewKeyRetirement(actor, { kid });
    return (
      <>
        <Title back={{ href: '/admin/keys', label: 'Keys' }}>Retire a key</Title>
        <Panel
          id="retire"
          heading={
            <>
              Retire <code>{kid}</code>?
            </>
          }
          lead="For a key that others may know. Otherwise rotate: that breaks nothing."
        >
          <Form
            {...(await form('key-retire'))}
            fields={{ kid }}
            submit="Retire it now"
            tone="danger"
            leave={{ href: '/admin/keys', label: 'Keep it' }}
          >
            <Consequences
              of={consequences}
              heading="What this breaks"
              agreed={typed('key-retire').one('confirmed')}
            />
          </Form>
        </Panel>
      </>
    );
  });
}
