import { consoleFormToken } from '#lib/sessions/index.ts';
import type { Draft } from '../_forms/draft.ts';
import type { Area } from '../_forms/form.ts';

/** What a form needs: its address, its token, and the faults of the last attempt. */
export type FormStart = {
  action: string;
  token: string;
  message: string | null;
  faults: Record<string, string>;
};

export async function startForm(
  area: Area,
  name: string,
  cookie: string | undefined,
  draft: Draft | null,
): Promise<FormStart> {
  const back = draft?.form === name ? draft : null;
  return {
    action: `/${area}/submit/${name}`,
    token: (await consoleFormToken(cookie, name)) ?? '',
    message: back?.message ?? null,
    faults: back?.faults ?? {},
  };
}
