// The pages of the console for somebody who is not signed in: one card, and forms that are bound to this browser.
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import { openDraft } from '../_forms/draft.ts';
import { Notice } from './notice.tsx';
import { type FormStart, startForm } from './start-form.ts';

type PublicPage = {
  query: Record<string, string>;
  cookie: string | undefined;
  form: (name: string) => Promise<FormStart>;
};

export async function publicPage(
  searchParams: SearchParams,
  render: (page: PublicPage) => Promise<ReactNode>,
): Promise<ReactNode> {
  const cookie = (await headers()).get('cookie') ?? undefined;
  const query = await readQuery(searchParams);
  const draft = openDraft(query['draft'], null);
  return (
    <HostedPage>
      <Notice done={query['done']} />
      {await render({ query, cookie, form: (name) => startForm('account', name, cookie, draft) })}
    </HostedPage>
  );
}
