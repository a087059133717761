import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { readMyFactors } from '#lib/management/index.ts';
import { TextField } from '../../../_ui/fields.tsx';
import { Form } from '../../../_ui/form.tsx';
import { Callout, Panel, Title } from '../../../_ui/pieces.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'A passkey' };

export default function PasskeyPage({ searchParams }: { searchParams: SearchParams }) {
  const path = '/account/security/passkey';
  const page = { area: 'account', here: '/account', path, searchParams } as const;
  return visit(page, async ({ actor, query, form, typed }) => {
    const { passkeys, totp, required } = await readMyFactors(actor);
    const passkey = passkeys.find(({ id }) => id === query['id']);
    const back = { href: '/account/security', label: 'Sign-in and security' };
    if (!passkey)
      return (
        <Title back={back} lead="It was removed already.">
          There is no such passkey
        </Title>
      );
    const { id, name } = passkey;
    const last = passkeys.length === 1 && totp === null;
    return (
      <>
        <Title back={back}>
          <Name>{name}</Name>
        </Title>
        <Panel id="rename" heading="Its name">
          <Form {...(await form('passkey-rename'))} fields={{ id }} submit="Save the name" tone="plain">
            <TextField
              name="name"
              label="Name"
              value={typed('passkey-rename').one('name', name)}
              maxLength={60}
            />
          </Form>
        </Panel>
        <Panel id="remove" heading="Remove it" lead="It signs you in no more, here and at applications.">
          {last && (
            <Callout>
              <p>
                It is the last one: your recovery codes and trusted browsers go with it.
                {required && ' Your role takes a second step, so the next sign-in asks you to set one up.'}
              </p>
            </Callout>
          )}
          <Form {...(await form('passkey-remove'))} fields={{ id }} submit="Remove it" tone="danger" />
        </Panel>
      </>
    );
  });
}
