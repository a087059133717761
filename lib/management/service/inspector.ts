// The inspector: a client's last requests to the authorize, par and token addresses, each with what went wrong.
import type { EnglishSentence } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import { REQUESTS, type RequestRow } from '#lib/store/log/refused-requests.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage } from '../core/page.ts';
import { reachClient } from '../registry/client-access.ts';
import { explain } from './inspector-words.ts';

export type InspectedRequest = {
  id: string;
  at: Date;
  endpoint: 'authorize' | 'par' | 'token';
  ok: boolean;
  api: string | null;
  authMethodId: string | null;
  requestId: string | null;
  /** the OAuth error code, and what the client was told; null where it went well */
  error: string | null;
  description: string | null;
  /** what happened, in a few words */
  title: string;
  /** what went wrong and what to do about it; none where nothing did */
  explanation: EnglishSentence[];
  /** what came with the request: no secret among it */
  facts: { name: string; value: string }[];
};

export const pageClientRequests = operation(
  'pageClientRequests',
  async (
    context,
    input: Omit<Asked, 'search'> & { clientId: string; failedOnly?: boolean | undefined },
  ): Promise<Page<InspectedRequest>> => {
    const { clientId, redirectUris } = await reachClient(context, input.clientId, 'see');
    const page = await readPage(REQUESTS, input, { clientId, failedOnly: input.failedOnly === true });
    return { ...page, rows: page.rows.map((row) => inspected(row, redirectUris)) };
  },
);

function inspected(row: RequestRow, registered: string[]): InspectedRequest {
  const { id, at, endpoint, ok, apiId: api, authMethodId, requestId, error, description } = row;
  const head = { id, at, endpoint, ok, api, authMethodId, requestId, error, description };
  const { facts, ...words } = explain(row, registered);
  const times = row.count > 1 ? [{ name: 'times in ten minutes', value: String(row.count) }] : [];
  return { ...head, ...words, facts: [...times, ...facts] };
}

/** The same for programs. */
export const requestInEnglish = ({ explanation, ...row }: InspectedRequest) => ({
  ...row,
  explanation: explanation.map(inEnglish).join(' ') || null,
});
