import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { listConsoleMethods } from '#lib/management/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Is it still you?' };

export default function AgainPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '', path: '/account/again', searchParams } as const;
  return visit(page, async ({ actor, query, form }) => {
    const methods = await listConsoleMethods();
    const local = methods.find(({ id }) => id === actor.session.authMethodId)?.type === 'local';
    return (
      <>
        <Title lead="What you are about to do takes a sign-in of the last 15 minutes. What you typed is kept.">
          Is it still you?
        </Title>
        <Panel id="again" heading={actor.email ?? actor.name}>
          {local ? (
            <Form {...(await form('sign-in-again'))} submit="Go on">
              <input type="hidden" name="username" autoComplete="username" value={actor.email ?? ''} />
              <input type="hidden" name="to" value={query['to'] ?? '/account'} />
              <TextField
                name="password"
                label="Password"
                type="password"
                autoComplete="current-password"
                autoFocus
              />
            </Form>
          ) : (
            <p>Sign out, then sign in again.</p>
          )}
        </Panel>
      </>
    );
  });
}
