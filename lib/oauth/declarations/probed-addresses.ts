// What browsers, password managers and crawlers ask every site for, without a link to it.
import { z } from 'zod';
import type { Answer } from '#lib/http/message.ts';
import { json, redirect } from '#lib/http/respond.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { type Declaration, methodNotAllowed } from '../errors/declaration.ts';

const account = (page: string) => `${settings().baseUrl}/account${page}`;

/**
 * W3C "A Well-Known URL for Changing Passwords" §3: leads to the page. 404 where no method keeps passwords in Gatehouse:
 * its users change them at another service.
 */
export async function handleChangePassword(): Promise<Answer> {
  const { methods } = await currentSnapshot();
  const hasPasswords = [...methods.values()].some((method) => methodCan(method, 'hasAccounts'));
  return hasPasswords
    ? redirect(302, account('/password'))
    : json(404, {
        error: 'not_found',
        error_description: 'No authentication method of this service keeps passwords.',
      });
}

/** W3C "Passkey Endpoints Well-Known URL" §3: where a user adds a passkey, and sees the existing ones. */
export async function handlePasskeyEndpoints(): Promise<Answer> {
  return json(200, { enroll: account('/security/add'), manage: account('/security') });
}

/** RFC 9309: no page is for a search engine. */
export async function handleRobots(): Promise<Answer> {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: 'User-agent: *\nDisallow: /\n' };
}

/** Browsers ask for it beside an answer that is no page of ours, such as JSON. */
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
      when: 'no authentication method of this service keeps passwords',
      as: 'json',
    },
    methodNotAllowed,
  ],
};
export const passkeyEndpointsDeclaration: Declaration = {
  answers: { PasskeyEndpoints },
  errors: [methodNotAllowed],
};
