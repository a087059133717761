// GET /logo/<hash>: a picture that was checked when it was uploaded. Its address is its content's, so caches keep it for good.
import { type Answer, empty, type HttpRequest, type PathParams } from '#lib/http/index.ts';
import { logos } from '#lib/store/index.ts';
import { UnknownIssuer } from './errors.ts';

export async function handleLogo(request: HttpRequest, { hash = '' }: PathParams): Promise<Answer> {
  const headers = {
    etag: `"${hash}"`,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    // an SVG has no script; opened by itself it could run none either
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new UnknownIssuer('no such logo');
  const logo = await logos.find(hash);
  if (!logo) throw new UnknownIssuer('no such logo');
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => tag.trim() === headers.etag);
  if (known) return empty(304, headers);
  return { status: 200, headers: { 'content-type': logo.type, ...headers }, body: logo.bytes };
}
