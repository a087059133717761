// `done` in an address names the notice of a form. Another site can link to the same address without sending the form,
// so its visitors see no notice. `credential-refused` is the exception: proxy.ts redirects typed addresses to it.
import { isFromOutside } from '#lib/http/navigation.ts';

type Query = Record<string, string>;

export function withoutForeignNotice(headers: { get(name: string): string | null }, query: Query): Query {
  if (query['done'] === 'credential-refused') return query;
  if (!isFromOutside({ 'sec-fetch-site': headers.get('sec-fetch-site') ?? undefined })) return query;
  const { done: _, ...rest } = query;
  return rest;
}
