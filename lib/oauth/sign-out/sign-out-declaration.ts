// What the sign-out endpoint takes and answers (OpenID Connect RP-Initiated Logout 1.0 §2).
import { z } from 'zod';
import { optional } from '#lib/openapi/schema.ts';
import {
  type Declaration,
  issuerPages,
  issuerPath,
  plainPage,
  prefetched,
  showsPage,
} from '../errors/declaration.ts';

const parameters = z.object({
  id_token_hint: optional(
    z.string(),
    "An ID token of this issuer; it may have expired, and its key may have retired. If it is of this browser's session, the session ends without a question.",
  ),
  client_id: optional(z.string(), 'Who asks, where there is no id_token_hint. Then the person is asked.'),
  post_logout_redirect_uri: optional(
    z.url(),
    "Where the browser goes afterwards: exactly one of the client's `post_logout_redirect_uris`. With any other the person is signed out all the same, and stays here.",
  ),
  state: optional(
    z.string(),
    'Anything of yours, at most 2,048 bytes. It comes back untouched with the redirect.',
  ),
  logout_hint: optional(z.string(), 'Not used: the browser knows who is signed in.'),
  issuer_host: optional(
    z.string(),
    'Set by this service alone, where the request came to the host that the issuer has of its own. Anything else is ignored.',
  ),
  ui_locales: optional(
    z.string(),
    'Space-separated language tags for the pages that the person meets: those of `ui_locales_supported`, or close to one.',
  ),
});

/** All that is read of a request. */
export const SIGN_OUT_PARAMETERS: readonly string[] = Object.keys(parameters.shape);

const pages = issuerPages('The database cannot be reached, or the service is overloaded. Try again.');

export const signOutDeclaration: Declaration = {
  path: issuerPath,
  query: parameters,
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'client_id is not the client that id_token_hint was given to. Nobody is signed out.',
      'A parameter is repeated, or the query cannot be read: a malformed percent escape, or more than 100 parameters.',
      'A step of a sign-out that was begun in another browser, or more than ten minutes ago.',
    ]),
    ...showsPage(plainPage(403), [
      'The person has to be asked, and the request came from a frame of another page.',
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
      'The body is not a form, is malformed, or is longer than 8,192 bytes beside its id_token_hint.',
    ]),
    ...pages,
  ],
};
