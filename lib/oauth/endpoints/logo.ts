// GET /logo/<hash>, and /logo/<hash>-small: a picture that was drawn from what was uploaded (lib/pictures). Its address
// is its content's, so caches keep it for good.
import type { Answer, HttpRequest, PathParams } from '#lib/http/message.ts';
import { empty } from '#lib/http/respond.ts';
import { logos } from '#lib/store/registry/logos.ts';
import { UnknownIssuer } from '../errors/errors.ts';

export async function handleLogo(request: HttpRequest, { hash: name = '' }: PathParams): Promise<Answer> {
  const headers = {
    etag: `"${name}"`,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
  const [, hash, small] = /^([0-9a-f]{64})(-small)?$/.exec(name) ?? [];
  const logo = hash === undefined ? null : await logos.find(hash, small ? 'small' : 'large');
  if (!logo) throw new UnknownIssuer('no such logo');
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => tag.trim() === headers.etag);
  if (known) return empty(304, headers);
  return { status: 200, headers: { 'content-type': 'image/webp', ...headers }, body: logo };
}
