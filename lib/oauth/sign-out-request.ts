// A client's sign-out request (OpenID Connect RP-Initiated Logout 1.0 §2, §3): client, hint and redirect target. While
// the user confirms it, the request is sealed, bound to the browser, and valid for ten minutes.
import { z } from 'zod';
import type { Params } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { optional } from '#lib/openapi/document.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { MAX_STATE_BYTES } from './authorize/declaration.ts';
import { type Declaration, issuerPages, issuerPath, plainPage, prefetched, showsPage } from './errors.ts';
import type { Issuer } from './issuer.ts';
import { type Hint, readHint } from './openid.ts';
import { appendParameters } from './rules.ts';

// Parameters and responses of the sign-out endpoint (OpenID Connect RP-Initiated Logout 1.0 §2).

const parameters = z.object({
  id_token_hint: optional(
    z.string(),
    'An ID token of this issuer. It may have expired, and its key may be retired. If it belongs to the session of this browser, the session ends without a question.',
  ),
  client_id: optional(
    z.string(),
    'The client, if there is no id_token_hint. The person is then asked to confirm.',
  ),
  post_logout_redirect_uri: optional(
    z.url(),
    "The redirect address: exactly one of the client's `post_logout_redirect_uris`. With any other address, the person is still signed out, but the browser is not redirected.",
  ),
  state: optional(z.string(), 'Any value, at most 2,048 bytes, returned unchanged with the redirect.'),
  logout_hint: optional(z.string(), 'Not used: the session of the browser identifies the person.'),
  issuer_host: optional(
    z.string(),
    'Set only by this service, if the request came to the own host of the issuer. Other values are ignored.',
  ),
  ui_locales: optional(
    z.string(),
    'Space-separated language tags for the pages: values of `ui_locales_supported`, or close to one.',
  ),
});

/** Every parameter that the endpoint reads. */
const SIGN_OUT_PARAMETERS: readonly string[] = Object.keys(parameters.shape);

const pages = issuerPages('The database cannot be reached, or the service is overloaded. Try again.');

export const signOutDeclaration: Declaration = {
  path: issuerPath,
  query: parameters,
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'client_id is not the client that id_token_hint was issued to. Nobody is signed out.',
      'A parameter is repeated, or the query cannot be read: a malformed percent escape, or more than 100 parameters.',
      'A step of a sign-out that started in another browser, or more than ten minutes ago.',
    ]),
    ...showsPage(plainPage(403), [
      'The person must confirm, and the request came from a frame of another site.',
    ]),
    prefetched,
    ...pages,
  ],
};

export const signOutPostDeclaration: Declaration = {
  path: issuerPath,
  body: parameters,
  bodyTypes: ['application/x-www-form-urlencoded'],
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'The body is not a form, is malformed, or is longer than 8,192 bytes, not counting id_token_hint.',
    ]),
    ...pages,
  ],
};

/** Thrown for a rejected request: an error page is shown, and no session ends. */
export class UnusableSignOut extends Error {
  override name = 'UnusableSignOut';
  readonly forDeveloper: string;
  constructor(forDeveloper: string) {
    super(forDeveloper);
    this.forDeveloper = forDeveloper;
  }
}

/** Destination of the browser after the sign-out. */
export type AfterSignOut = {
  /** the client's address with the state; null for the Gatehouse page */
  returnTo: string | null;
  /** reason why the redirect address was ignored, for developers; null if it was used or not sent */
  fault: string | null;
};

type SignOutRequest = AfterSignOut & {
  /** null if the hint is missing, or is not an ID token of this issuer */
  hint: Hint | null;
};

/** Reads a sign-out request. Throws UnusableSignOut for a contradictory request. */
export function readSignOut(issuer: Issuer, { values, repeated }: Params): SignOutRequest {
  const again = SIGN_OUT_PARAMETERS.find((name) => repeated.has(name));
  if (again !== undefined) throw new UnusableSignOut(`${again} is repeated.`);
  const token = values.get('id_token_hint');
  const hint = token === undefined ? null : readHint(issuer, token);
  const clientId = values.get('client_id');
  if (hint && clientId !== undefined && clientId !== hint.aud)
    throw new UnusableSignOut('client_id is not the client that id_token_hint was issued to.');
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
    const sent = values.has('id_token_hint') ? 'id_token_hint is not an ID token of this issuer. ' : '';
    return nowhere(`${sent}post_logout_redirect_uri requires an id_token_hint or a client_id.`);
  }
  const client = snapshot.clients.get(clientId);
  if (!client || client.disabled) return nowhere('The client is unknown or disabled.');
  if (!client.postLogoutRedirectUris.includes(uri))
    return nowhere(
      'post_logout_redirect_uri is not exactly one of the post_logout_redirect_uris of the client.',
    );
  if (state === undefined) return { returnTo: uri, fault: null };
  if (Buffer.byteLength(state) > MAX_STATE_BYTES || !state.isWellFormed())
    return nowhere(`state is longer than ${MAX_STATE_BYTES} bytes, or is not text.`);
  return { returnTo: appendParameters(uri, [['state', state]]), fault: null };
}

const interaction = z.object({
  authMethodId: z.string(),
  apiId: z.string(),
  returnTo: z.string().nullable(),
  fault: z.string().nullable(),
  /** start of the interaction in milliseconds since 1970 */
  startedAt: z.number(),
  /** a digest of the browser's transaction cookie */
  browser: z.string(),
  /** language requested by the client */
  uiLocales: z.string().optional(),
  /** true: the user has confirmed */
  done: z.boolean(),
});

type SignOutInteraction = z.output<typeof interaction>;

const PURPOSE = 'sign-out';

export function sealSignOut(value: SignOutInteraction): string {
  return sealJson(value, PURPOSE, settings().secrets);
}

/** Returns the sealed interaction, or 'expired'. Null: Gatehouse did not seal it, or it is bound to another browser. */
export function openSignOut(
  sealed: string | undefined,
  browser: string | null,
): SignOutInteraction | 'expired' | null {
  const opened = unsealJson(interaction, sealed ?? '', PURPOSE, settings().secrets);
  if (opened === null || opened.browser !== browser) return null;
  return now().getTime() - opened.startedAt > TRANSACTION_SECONDS * 1000 ? 'expired' : opened;
}
