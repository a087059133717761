// Protocol core in this process, without server: fixtures and requests.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { applyConfiguration } from '#lib/config/apply.ts';
import type { Answer } from '#lib/http/message.ts';
import { handleHttp } from '#lib/oauth/endpoints.ts';
import { FIXTURES } from '../data/fixtures.ts';

export async function givenFixtures(): Promise<void> {
  await applyConfiguration(readFileSync(FIXTURES, 'utf8'), { env: {} });
}

type Asked = {
  /** default: GET, or POST if there is a form */
  method?: string;
  /** form body; makes the request a POST */
  form?: Record<string, string> | [string, string][] | URLSearchParams;
  headers?: Record<string, string | undefined>;
  /** the caller's IP address, if known */
  address?: string | undefined;
};

/** Sends a request to a path with its query, and returns the response. */
export async function ask(target: string, { method, form, headers, address }: Asked = {}): Promise<Answer> {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await handleHttp({
    method: method ?? (form ? 'POST' : 'GET'),
    path,
    query,
    headers: { ...type, ...headers },
    body: async () => Buffer.from(String(new URLSearchParams(form))),
    peerAddress: address,
    requestId: randomUUID(),
  });
  if (!answer) throw new Error(`${path} is a page`);
  return answer;
}

export const jsonOf = ({ body }: Answer): Record<string, unknown> =>
  JSON.parse(String(body)) as Record<string, unknown>;

/** Returns the Location header, or ''. */
export const locationOf = ({ headers }: Answer): string => String(headers['location'] ?? '');

/** Returns the Cookie header that a browser sends after these responses. */
export const cookieOf = (...answers: Answer[]): string =>
  answers
    .flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat())
    .map((line) => line.split(';')[0])
    .join('; ');

/** Merges Cookie headers: new values replace old ones (RFC 6265 §5.3). */
export function withCookies(...headers: string[]): string {
  const pairs = headers.flatMap((header) => header.split('; ')).filter((pair) => pair !== '');
  return [...new Map(pairs.map((pair) => [pair.split('=')[0], pair])).values()].join('; ');
}
