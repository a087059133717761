// A client's request to sign the person out (OpenID Connect RP-Initiated Logout 1.0 §2, §3): who asks, by what hint,
// and where the browser may go afterwards. While the person is asked it is sealed, bound to the browser, and good for
// ten minutes.
import { z } from 'zod';
import type { Params } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { MAX_STATE_BYTES } from '../authorize-request/declaration.ts';
import { type Hint, readHint } from '../openid/hint.ts';
import type { Issuer } from '../rules/issuer.ts';
import { appendParameters } from '../rules/redirect-uri.ts';
import { SIGN_OUT_PARAMETERS } from './sign-out-declaration.ts';

/** The request is refused by a page of ours, and no session ends. */
export class UnusableSignOut extends Error {
  override name = 'UnusableSignOut';
  readonly forDeveloper: string;
  constructor(forDeveloper: string) {
    super(forDeveloper);
    this.forDeveloper = forDeveloper;
  }
}

/** Where the browser goes afterwards. */
export type AfterSignOut = {
  /** the client's address with the state; null: our own page */
  returnTo: string | null;
  /** why the address that was sent is not followed, for the developer; null: it is, or none was sent */
  fault: string | null;
};

export type SignOutRequest = AfterSignOut & {
  /** null: none was sent, or it is no ID token of this issuer */
  hint: Hint | null;
};

/** UnusableSignOut for a request that contradicts itself. */
export function readSignOut(issuer: Issuer, { values, repeated }: Params): SignOutRequest {
  const again = SIGN_OUT_PARAMETERS.find((name) => repeated.has(name));
  if (again !== undefined) throw new UnusableSignOut(`${again} is repeated.`);
  const token = values.get('id_token_hint');
  const hint = token === undefined ? null : readHint(issuer, token);
  const clientId = values.get('client_id');
  if (hint && clientId !== undefined && clientId !== hint.aud)
    throw new UnusableSignOut('client_id is not the client that id_token_hint was given to.');
  return { hint, ...afterwards(issuer, values, hint?.aud ?? clientId) };
}

const nowhere = (fault: string | null): AfterSignOut => ({ returnTo: null, fault });

function afterwards(
  { snapshot }: Issuer,
  values: Params['values'],
  clientId: string | undefined,
): AfterSignOut {
  const uri = values.get('post_logout_redirect_uri');
  const state = values.get('state');
  if (uri === undefined) return nowhere(null);
  if (clientId === undefined) {
    const sent = values.has('id_token_hint') ? 'id_token_hint is no ID token of this issuer. ' : '';
    return nowhere(
      `${sent}post_logout_redirect_uri is followed only with an id_token_hint or a client_id beside it.`,
    );
  }
  const client = snapshot.clients.get(clientId);
  if (!client || client.disabled) return nowhere('The client is unknown or disabled.');
  if (!client.postLogoutRedirectUris.includes(uri))
    return nowhere(
      "post_logout_redirect_uri is not one of the client's post_logout_redirect_uris, character by character.",
    );
  if (state === undefined) return { returnTo: uri, fault: null };
  if (Buffer.byteLength(state) > MAX_STATE_BYTES || !state.isWellFormed())
    return nowhere(`state is longer than ${MAX_STATE_BYTES} bytes, or no text.`);
  return { returnTo: appendParameters(uri, [['state', state]]), fault: null };
}

const interaction = z.object({
  authMethodId: z.string(),
  apiId: z.string(),
  returnTo: z.string().nullable(),
  fault: z.string().nullable(),
  /** milliseconds since 1970 */
  startedAt: z.number(),
  /** a digest of the browser's transaction cookie */
  browser: z.string(),
  /** the language that the client asks for */
  uiLocales: z.string().optional(),
  /** the person has said yes */
  done: z.boolean(),
});

type SignOutInteraction = z.output<typeof interaction>;

const PURPOSE = 'sign-out';

export function sealSignOut(value: SignOutInteraction): string {
  return sealJson(value, PURPOSE, settings().secrets);
}

/** What was sealed; 'expired', or null for anything that was not sealed here or belongs to another browser. */
export function openSignOut(
  sealed: string | undefined,
  browser: string | null,
): SignOutInteraction | 'expired' | null {
  const opened = unsealJson(interaction, sealed ?? '', PURPOSE, settings().secrets);
  if (opened === null || opened.browser !== browser) return null;
  return now().getTime() - opened.startedAt > TRANSACTION_SECONDS * 1000 ? 'expired' : opened;
}
