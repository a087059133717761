// Types for the tables of requests, and requests that several tables use.
import type { Answer } from '#lib/http/message.ts';
import { type Sent, send, TRU, type Values } from './world.ts';

export type Address = { method: string; path: string };
/** Sends a request that causes the declared error. */
export type Ask = (address: Address) => Promise<Answer>;
/** Keyed by the beginning of the declared sentence; several functions if the sentence names several causes. */
export type Requests = Record<string, Ask[]>;

export const post = ({ path }: Address, form: Values | string, sent: Sent = {}) =>
  send(path, { form, ...sent });

/** Generic request that reads the registry or a pending broker sign-in. */
export const anything: Ask = async ({ method, path }) =>
  send(path, {
    method,
    query: { state: 'S', code: 'x' },
    headers: { cookie: `gatehouse-transaction=${'x'.repeat(43)}` },
    ...(method === 'POST' ? { form: { ...TRU, token: 'x', grant_type: 'refresh_token' } } : {}),
  });
