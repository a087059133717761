// Addresses outside the protocol: health, readiness, uploaded logos, and the files and documents that browsers,
// password managers and crawlers request from every site without a link.
import { z } from 'zod';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { passkeyOrigins } from '#lib/factors/passkeys.ts';
import {
  type Answer,
  aliveAnswer,
  empty,
  type HttpRequest,
  json,
  type PathParams,
  redirect,
} from '#lib/http/message.ts';
import { isDraining } from '#lib/kit/process.ts';
import { INTERFACE_VERSION, VERSION } from '#lib/kit/version.ts';
import { settings } from '#lib/settings/settings.ts';
import { logos } from '#lib/store/logos.ts';
import { readiness } from '#lib/store/service-state.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type Declaration, methodNotAllowed, UnknownIssuer } from './errors.ts';

// Health and readiness (specification 4.1).

/** Returns 200 while the process is alive, without a database query. */
export async function handleHealth(): Promise<Answer> {
  return aliveAnswer();
}

/** Returns the readiness of the service, with the result of each check by its name. */
export async function handleReady(): Promise<Answer> {
  const checks = { ...(await readiness()), process: isDraining() ? 'stopping' : 'ok' };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version: VERSION, checks });
}

const Health = z.object({ status: z.literal('ok'), version: z.literal(INTERFACE_VERSION) });
const Readiness = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    version: z.literal(VERSION),
    checks: z.record(z.string(), z.string()),
  })
  .describe('Each check by name, with its result.');

export const healthDeclaration: Declaration = { answers: { Health }, errors: [methodNotAllowed] };
export const readyDeclaration: Declaration = { answers: { Readiness }, errors: [methodNotAllowed] };

// GET /logo/<hash> and /logo/<hash>-small return a picture that lib/pictures drew from an upload. The address
// contains the content's hash, so caches keep the picture.

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
  const hasCurrentCopy = (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => tag.trim() === headers.etag);
  if (hasCurrentCopy) return empty(304, headers);
  return { status: 200, headers: { 'content-type': 'image/webp', ...headers }, body: logo };
}

// Documents and files that browsers, password managers and crawlers request from every site.

const account = (page: string) => `${settings().baseUrl}/account${page}`;

/**
 * Redirects to the password page (W3C "A Well-Known URL for Changing Passwords" §3). Returns 404 if no method stores
 * passwords in Gatehouse, because users then change their passwords at another service.
 */
export async function handleChangePassword(): Promise<Answer> {
  const { methods } = await currentSnapshot();
  const hasPasswords = [...methods.values()].some((method) => methodCan(method, 'hasAccounts'));
  return hasPasswords
    ? redirect(302, account('/password'))
    : json(404, {
        error: 'not_found',
        error_description: 'This service has no authentication method with its own passwords.',
      });
}

/**
 * Addresses where a user adds a passkey and sees the existing passkeys (W3C "Passkey Endpoints Well-Known URL" §3).
 */
export async function handlePasskeyEndpoints(): Promise<Answer> {
  return json(200, { enroll: account('/security/add'), manage: account('/security') });
}

/** Returns a robots.txt that excludes every page from search engines (RFC 9309). */
export async function handleRobots(): Promise<Answer> {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: 'User-agent: *\nDisallow: /\n' };
}

/** Redirects to the icon. Browsers request this address for responses that cannot link to an icon, such as JSON. */
export async function handleFavicon(): Promise<Answer> {
  return redirect(302, '/icon.svg', { 'cache-control': 'public, max-age=86400' });
}

const PasskeyEndpoints = z.object({ enroll: z.url(), manage: z.url() });

export const changePasswordDeclaration: Declaration = {
  answers: {},
  errors: [
    {
      status: 404,
      error: 'not_found',
      when: 'this service has no authentication method with its own passwords',
      as: 'json',
    },
    methodNotAllowed,
  ],
};
export const passkeyEndpointsDeclaration: Declaration = {
  answers: { PasskeyEndpoints },
  errors: [methodNotAllowed],
};

// GET /.well-known/webauthn (WebAuthn Level 3 §5.11.1) returns the origins that may use a passkey. A browser requests
// the list from the passkey's domain if the page's host is not below that domain.

export async function handleRelatedOrigins(): Promise<Answer> {
  return json(200, { origins: passkeyOrigins() });
}

const RelatedOrigins = z.object({ origins: z.array(z.url()) });

export const relatedOriginsDeclaration: Declaration = {
  answers: { RelatedOrigins },
  errors: [methodNotAllowed],
};
