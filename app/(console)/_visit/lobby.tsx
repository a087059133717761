// The pages of the console for somebody who is not signed in: one card, and a form that is bound to this browser.
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import { openDraft } from '../_forms/draft.ts';
import { noticeOf } from '../_forms/notices.ts';
import { type FormStart, startForm } from './start-form.ts';

type Lobby = {
  query: Record<string, string>;
  cookie: string | undefined;
  form: (name: string) => Promise<FormStart>;
};

export async function lobby(
  searchParams: SearchParams,
  render: (lobby: Lobby) => Promise<ReactNode>,
): Promise<ReactNode> {
  const cookie = (await headers()).get('cookie') ?? undefined;
  const query = await readQuery(searchParams);
  const draft = openDraft(query['draft'], null);
  const notice = noticeOf(query['done']);
  return (
    <HostedPage>
      {notice && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      {await render({ query, cookie, form: (name) => startForm('account', name, cookie, draft) })}
    </HostedPage>
  );
}
