// The pages of the console for people who are not signed in: one card, and forms that are bound to this browser.
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import type { Words } from '#lib/language/words.ts';
import { findDraft } from '../_forms/draft.ts';
import { speakIn } from '../_texts/say.tsx';
import { frameOf, visitWords } from '../_ui/page-language.ts';
import { withoutForeignNotice } from './foreign-notice.ts';
import { FormValues } from './form-values.ts';
import { Notice } from './notice.tsx';
import { type FormStart, startForm } from './start-form.ts';

type PublicPage = {
  query: Record<string, string>;
  cookie: string | undefined;
  form: (name: string) => Promise<FormStart>;
  /** the draft of a form */
  typed: (name: string) => FormValues;
  words: Words;
};

export async function publicPage(
  searchParams: SearchParams,
  render: (page: PublicPage) => Promise<ReactNode>,
): Promise<ReactNode> {
  const sent = await headers();
  const cookie = sent.get('cookie') ?? undefined;
  const query = withoutForeignNotice(sent, await readQuery(searchParams));
  const draft = await findDraft(query['draft'], { actor: null, cookie });
  const words = await visitWords();
  speakIn(words);
  const form = (name: string) => startForm('account', name, cookie, draft, words);
  const typed = (name: string) => new FormValues(draft?.form === name ? draft : null);
  return (
    <HostedPage frame={frameOf(words, query)}>
      <Notice done={query['done']} told={words.told} />
      {await render({ query, cookie, form, typed, words })}
    </HostedPage>
  );
}
