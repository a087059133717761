import type { Words } from '#lib/language/index.ts';
import { consoleFormToken } from '#lib/sessions/index.ts';
import type { Draft } from '../_forms/draft.ts';
import type { Area } from '../_forms/form.ts';

/** What a form needs: its address, its token, and the faults of the last attempt. */
export type FormStart = {
  action: string;
  token: string;
  message: string | null;
  faults: Record<string, string>;
  /** what a script says where the service does not answer */
  unreachable?: string;
};

export async function startForm(
  area: Area,
  name: string,
  cookie: string | undefined,
  draft: Draft | null,
  words: Words | null = null,
): Promise<FormStart> {
  const back = draft?.form === name ? draft : null;
  const token = (await consoleFormToken(cookie, name)) ?? '';
  const { message = null, faults = {} } = back ?? {};
  const start = { action: `/${area}/submit/${name}`, token, message, faults };
  return words === null ? start : { ...start, unreachable: words.t('account.unreachable') };
}
