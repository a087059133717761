import { consoleFormToken } from '#lib/sessions/console.ts';
import type { Draft } from '../_forms/draft.ts';
import type { Area } from '../_forms/form.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { testInWords } from '../_ui/test-in-words.ts';
import type { SaidTest } from '../_ui/test-steps.tsx';

/** What a form needs: its address, its token, and the faults of the last attempt. */
export type FormStart = {
  action: string;
  token: string;
  message: string | null;
  faults: Record<string, string>;
  /** the version of the object that the person saw; undefined: the newest, which the page shows beside what was typed */
  seen?: string;
  test?: SaidTest;
  /** what a script says where the service does not answer */
  unreachable?: string;
};

export async function startForm(
  area: Area,
  name: string,
  cookie: string | undefined,
  draft: Draft | null,
  words: PageWords | null = null,
): Promise<FormStart> {
  const back = draft?.form === name ? draft : null;
  const token = (await consoleFormToken(cookie, name)) ?? '';
  const { message = null, faults = {} } = back ?? {};
  const start = { action: `/${area}/submit/${name}`, token, message, faults, ...seenVersion(back) };
  if (words === null) return start;
  const test = back?.test && { test: testInWords(words.say, back.test) };
  return { ...start, ...test, unreachable: words.t('account.unreachable') };
}

/** A question, a fault or a test keeps the version of the first page, so that a change made meanwhile is noticed. */
function seenVersion(draft: Draft | null): { seen?: string } {
  const version = draft?.entries.find(([name]) => name === 'version')?.[1];
  return version === undefined || draft?.because === 'stale' ? {} : { seen: version };
}
