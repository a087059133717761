// Management API in this process, without server: a client that obtains tokens and calls it.
import { randomUUID } from 'node:crypto';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import type { Answer } from '#lib/http/message.ts';
import { ensureManagementApi, MANAGEMENT_API } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { givenClient, givenEmptyRegistry } from '../data/registry.ts';

/**
 * Creates an empty registry with the management API, and the client `ops`, for which `givenToken` gets
 * tokens.
 */
export async function givenManagementApi(): Promise<void> {
  await givenEmptyRegistry();
  await ensureManagementApi();
  await givenOps();
}

export async function givenOps(): Promise<void> {
  const pair = { clientId: 'ops', api: MANAGEMENT_API };
  await givenClient(OPERATOR, 'ops');
  await requestSubscription(OPERATOR, pair);
  await decideSubscription(OPERATOR, { ...pair, action: 'approve' });
}

/** Returns bearer credentials for the management API, without a DPoP key. */
export const bearer = (token: string) => ({
  scheme: 'bearer' as const,
  token,
  proof: undefined,
  method: 'GET',
  addresses: [],
  request: {},
});

export type Call = {
  method?: string;
  token?: string | undefined;
  json?: unknown;
  /** text of the body instead of `json`, sent as application/json */
  body?: string | null;
  /** binary body, instead of `json` or `form` */
  bytes?: Buffer;
  headers?: Record<string, string>;
  query?: string;
  address?: string;
  requestId?: string;
};

/** Response for a path under /api/v1; `json`: parsed body, or null. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it and say by that what they expect
export async function callManagement(path: string, call: Call = {}): Promise<Answer & { json: any }> {
  const { method = 'GET', token, json, headers, query = '' } = call;
  const text = call.body ?? (json === undefined ? '' : JSON.stringify(json));
  const bytes = call.bytes ?? Buffer.from(text);
  const answer = await handleManagementApi({
    method,
    path: `/api/v1${path}`,
    query,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: async (limit = 65_536) => (bytes.length > limit ? 'too-large' : bytes),
    peerAddress: call.address ?? '192.0.2.1',
    requestId: call.requestId ?? randomUUID(),
  });
  if (!answer) throw new Error(`${path} is no address of the API`);
  let said = String(answer.body ?? '');
  if (answer.pieces) for await (const piece of answer.pieces) said += piece;
  const isJson = String(answer.headers['content-type']).includes('json');
  return { ...answer, json: said === '' || !isJson ? null : JSON.parse(said) };
}
