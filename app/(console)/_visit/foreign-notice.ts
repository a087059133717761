// `done` in an address says what a form did. A link from elsewhere did nothing, so its page says nothing of it.
import { isFromOutside } from '#lib/http/index.ts';

type Query = Record<string, string>;

export function withoutForeignNotice(headers: { get(name: string): string | null }, query: Query): Query {
  if (!isFromOutside({ 'sec-fetch-site': headers.get('sec-fetch-site') ?? undefined })) return query;
  const { done: _, ...rest } = query;
  return rest;
}
