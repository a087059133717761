// A form that becomes the query of a GET: a cookie that is read only there comes along, and the body reaches no log.
import type { HttpRequest } from '#lib/http/message.ts';
import { readBodyParams } from '#lib/http/params.ts';
import { shortHint } from '../openid/hint.ts';
import { knowFormerKeys } from '../rules/former-keys.ts';
import type { Issuer } from '../rules/issuer.ts';

/** Of the query: with cookies and path it fits into the 16 KiB that Node reads of a request's header. */
const MAX_LENGTH = 8_192;

/**
 * The body as a query, in which a long `id_token_hint` is a short one (RP-Initiated Logout 1.0 §2: a POST must work
 * too). Null: not a form, malformed, or too long even so. UnreadableParams.
 */
export async function postedQuery(http: HttpRequest, issuer: Issuer): Promise<string | null> {
  const type = http.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null;
  await readBodyParams(http);
  const body = Buffer.from((await http.body()) as Uint8Array).toString('utf8');
  if (!/^[\x21-\x7e]*$/.test(body)) return null;
  await knowFormerKeys(issuer);
  const query = body.length > MAX_LENGTH ? withShortHint(body, issuer) : body;
  return query.length > MAX_LENGTH ? null : query.replaceAll('#', '%23');
}

function withShortHint(body: string, issuer: Issuer): string {
  const params = new URLSearchParams(body);
  const [token, again] = params.getAll('id_token_hint');
  if (token === undefined || again !== undefined) return body;
  params.set('id_token_hint', shortHint(issuer, token));
  return params.toString();
}
