// The page of an invitation's link, and its form. Only the link says whose account is made: no field of the form does.
// Nothing is bound to a browser, since people open mails where they like; the link is as long as any token.

import { finishRegistration, readInvitation } from '#lib/accounts/registration.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { Message } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { findInBrowser, storeInBrowser } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Unusable } from './views.ts';

export type InvitedView = {
  kind: 'invited';
  email: string;
  name: string;
  alert: Message | null;
  minLength: number;
  invitation: string;
};

const GONE: Unusable = {
  kind: 'unusable',
  heading: 'register.invitation_gone_heading',
  message: 'register.invitation_gone',
};

const READY = {
  kind: 'ended',
  heading: 'register.ready_heading',
  message: 'register.ready',
  label: 'sign_in.heading',
} as const;

/** What the form repeats, in a cookie of the browser: a link of a stranger must not put words on our page. */
type Again = { alert: Message; name: string };
/** A longer name is typed again. */
const KEPT_NAME = 100;
const formOf = (invitation: string) => ({
  kind: 'invitation form' as const,
  about: sha256(invitation).toString('base64url'),
});

type Shown = InvitedView | (typeof READY & { href: string }) | Unusable;

export async function viewInvited(input: {
  invitation: string | undefined;
  again: string | undefined;
  done: string | undefined;
  cookie: string | undefined;
}): Promise<Shown> {
  if (input.done === 'ready') return { ...READY, href: `${settings().baseUrl}/account` };
  const invitation = (input.invitation ?? '').slice(0, 100);
  const found = await readInvitation(invitation);
  if (!found) return GONE;
  const again = findInBrowser<Again>(input.again, formOf(invitation), input.cookie);
  return {
    kind: 'invited',
    email: found.email,
    name: again?.name ?? found.name,
    alert: again?.alert ?? null,
    minLength: settings().passwordMinLength,
    invitation,
  };
}

export async function acceptInvitation(
  http: HttpRequest,
  fields: ReadonlyMap<string, string>,
): Promise<Answer> {
  const page = `${settings().authUrl}/register`;
  const invitation = (fields.get('invitation') ?? '').slice(0, 100);
  const name = (fields.get('name') ?? '').slice(0, 1000);
  const made = await finishRegistration({
    handle: invitation,
    invited: true,
    name,
    password: fields.get('password') ?? '',
    ip: callerAddress(http, settings().trustProxy),
    requestId: http.requestId,
  });
  if (made.kind === 'made') return redirect(303, `${page}?done=ready`);
  const query = new URLSearchParams({ invitation });
  if (made.kind !== 'faulty' && made.kind !== 'slow-down') return redirect(303, `${page}?${query}`);
  const again: Again = {
    alert: made.kind === 'faulty' ? made.told : tooManyAttempts(made.waitSeconds),
    name: name.slice(0, KEPT_NAME),
  };
  const stored = storeInBrowser(formOf(invitation), again, http.headers['cookie']);
  if (stored === null) return redirect(303, `${page}?${query}`);
  query.set('again', stored.id);
  return redirect(303, `${page}?${query}`, { 'set-cookie': stored.cookie });
}
