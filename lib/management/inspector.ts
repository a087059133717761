// The inspector: a client's last requests to the authorize and token addresses, with what went wrong in plain words.
import { ownConnection, type RequestRow as StoredRequest, selectRequests } from '#lib/store/index.ts';
import { reachClient } from './client-access.ts';
import { explain } from './inspector-words.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, TIME_PART } from './page.ts';
import type { Actor } from './policy.ts';

export type InspectedRequest = {
  id: string;
  at: Date;
  endpoint: 'authorize' | 'token';
  ok: boolean;
  api: string | null;
  authMethodId: string | null;
  requestId: string | null;
  /** the OAuth error code, and what the client was told; null where it went well */
  error: string | null;
  description: string | null;
  /** what happened, in a few words */
  title: string;
  /** what went wrong and what to do about it; null where nothing did */
  explanation: string | null;
  /** what came with the request: no secret among it */
  facts: { name: string; value: string }[];
};

export const pageClientRequests = operation(
  'pageClientRequests',
  async (
    actor: Actor,
    input: Omit<Asked, 'search'> & { clientId: string; failedOnly?: boolean | undefined },
  ): Promise<Page<InspectedRequest>> => {
    const client = await reachClient(ownConnection, actor, input.clientId, 'see');
    const { clientId } = client;
    const page = await readPage(input, {
      parts: [TIME_PART, /^[ra]\d{1,18}$/],
      select: (from) => selectRequests({ clientId, failedOnly: input.failedOnly === true, ...from }),
      key: (row) => [row.key, row.id],
    });
    return { ...page, rows: page.rows.map((row) => inspected(row, client.redirectUris)) };
  },
);

function inspected(row: StoredRequest, registered: string[]): InspectedRequest {
  const { id, at, endpoint, ok, apiId: api, authMethodId, requestId, error, description } = row;
  const head = { id, at, endpoint, ok, api, authMethodId, requestId, error, description };
  const { facts, ...words } = explain(row, registered);
  const times = row.count > 1 ? [{ name: 'times in ten minutes', value: String(row.count) }] : [];
  return { ...head, ...words, facts: [...times, ...facts] };
}
