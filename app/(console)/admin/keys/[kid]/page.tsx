import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { path as pathOf } from '#app/(console)/_forms/form.ts';
import { Consequences } from '#app/(console)/_ui/consequences.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { enter, previewKeyRetirement } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Retire a key' };

type Props = { params: Promise<{ kid: string }>; searchParams: SearchParams };

export default async function KeyPage({ params, searchParams }: Props) {
  const { kid } = await params;
  const page = {
    area: 'admin',
    here: '/admin/keys',
    path: pathOf('admin', 'keys', kid),
    searchParams,
  } as const;
  return visit(page, async ({ actor, form }) => {
    await enter(actor, { action: 'keys.manage' });
    const consequences = await previewKeyRetirement(actor, { kid });
    return (
      <>
        <Title back={{ href: '/admin/keys', label: 'Keys' }}>
          Retire <code>{kid}</code>?
        </Title>
        <Panel
          id="retire"
          heading="Only when somebody may have stolen it"
          lead="For an ordinary change of keys, rotate: nothing breaks then."
        >
          <Form {...(await form('key-retire'))}>
            <input type="hidden" name="kid" value={kid} />
            <Consequences of={consequences} heading="What ends with it" />
            <div className="form-actions">
              <Submit tone="danger">Retire it at once</Submit>
              <a className="button quiet" href="/admin/keys">
                Keep it
              </a>
            </div>
          </Form>
        </Panel>
      </>
    );
  });
}
