// A form that becomes the query of a GET: a cookie that is read only there comes along, and the body reaches no log.
import { type HttpRequest, readBodyParams } from '#lib/http/index.ts';

const MAX_LENGTH = 8_192;

/** The body as a query; null: not a form, too long, or malformed. UnreadableParams. */
export async function postedQuery(http: HttpRequest): Promise<string | null> {
  const type = http.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null;
  await readBodyParams(http);
  const body = Buffer.from((await http.body()) as Uint8Array).toString('utf8');
  if (body.length > MAX_LENGTH || !/^[\x21-\x7e]*$/.test(body)) return null;
  return body.replaceAll('#', '%23');
}
