// Called by the proxy before a page of the console is rendered: gives the status and, without a session, the cookie
// that binds the sign-in form to the browser. The page checks the rights again.
import { factsOfHeaders } from '#app/_doors/plain.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import { mayDo } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { readClient } from '#lib/management/registry/clients.ts';
import { type ConsoleActor, readConsoleActor } from '#lib/sessions/console.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { refusedInWords } from '../_forms/in-words.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { findPage } from './addresses.ts';

export type RefusedAccess = {
  kind: 'refused';
  status: number;
  heading: Plain;
  message: Told;
  cause?: Refused;
  /** null: nobody is signed in */
  visitor: { locale: string | null } | null;
};
export type Access =
  | { kind: 'allowed'; personId: string; locale: string | null }
  /** the sign-in form is shown; the cookie is for the browser and for this request */
  | { kind: 'signed-out'; cookie: string }
  /** administrators have another page about it */
  | { kind: 'elsewhere'; href: string }
  | RefusedAccess;

const CONSOLE = /^\/(?:account|developer|admin)(?:\/|$)/;

/** Null: not a page of the console. */
export async function checkAccess(pathname: string, headers: Headers): Promise<Access | null> {
  if (!CONSOLE.test(pathname)) return null;
  const page = findPage(pathname);
  const cookieHeader = headers.get('cookie') ?? undefined;
  const actor = await readConsoleActor(cookieHeader, factsOfHeaders(headers));
  if (!page) return { ...{ kind: 'refused', status: 404, visitor: actor }, ...NO_PAGE };
  if (!actor) return { kind: 'signed-out', cookie: openTransaction(cookieHeader).cookie };
  const { check } = page.endpoint;
  const administered = await administeredPage(actor, pathname, page.params);
  if (administered !== null) return { kind: 'elsewhere', href: administered };
  const { id: personId, locale } = actor;
  if (check === 'anyone') return { kind: 'allowed', personId, locale };
  try {
    await check(actor, page.params);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const refused = refusedAccess(error);
    if (refused.status !== 200) return { ...refused, visitor: actor };
  }
  return { kind: 'allowed', personId, locale };
}

/** An administrator who opens the developer's page of another owner's client is shown the administrators' page. */
async function administeredPage(
  actor: ConsoleActor,
  pathname: string,
  { clientId }: Record<string, string | undefined>,
): Promise<string | null> {
  if (!pathname.startsWith('/developer/clients/') || clientId === undefined) return null;
  if (!mayDo(actor, 'clients.see-all')) return null;
  const client = await readClient(actor, { clientId }).catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
  if (client === null || client.ownerId === actor.id) return null;
  const [, , , , ...below] = pathname.split('/');
  const [part = '', api = ''] = below;
  if (part === 'apis') return `/admin/subscriptions/${encodeURIComponent(clientId)}/${api}`;
  return `/admin/clients/${[encodeURIComponent(clientId), ...below].join('/')}`;
}

/** Status and words for a refused page. Status 200: the page itself explains the refusal. */
export function refusedAccess(cause: Refused, words: PageWords | null = null): RefusedAccess {
  const [status, heading] = STATUS_AND_HEADING[cause.kind] ?? [200, 'console.cannot_show'];
  const message = { text: refusedInWords(words, cause) };
  return { kind: 'refused', status, heading, message, cause, visitor: null };
}

const NO_PAGE = { heading: 'errors.no_page', message: 'errors.mistyped' } as const;

const STATUS_AND_HEADING: Partial<Record<Refused['kind'], [number, Plain]>> = {
  forbidden: [403, 'console.you_may_not'],
  'not-found': [404, 'account.not_there'],
  'slow-down': [200, 'console.too_fast'],
};
