// One attempt, kept in the browser while the person is at the sign-in page. It holds no secret and no token.

import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { Exchange } from './exchange.ts';

export type Combination = {
  label: string;
  issuer: string;
  authorize: string;
  token: string;
  par: string;
  revoke: string;
  userinfo: string;
  jwks: string;
  scopes: Scope[];
  /** the API takes only tokens that are bound to a key */
  bound: boolean;
};
export type Scope = { name: string; description: string };
export type PlaygroundClient = {
  clientId: string;
  name: string;
  confidential: boolean;
  /** its secret is accepted only in the header */
  basic: boolean;
  /** it gets only tokens that are bound to a key */
  bound: boolean;
  /** it has to push its requests (RFC 9126) */
  pushes: boolean;
  /** this page, where the answer arrives */
  redirectUri: string;
};
export type Attempt = {
  clientId: string;
  combination: Combination;
  redirectUri: string;
  confidential: boolean;
  basic: boolean;
  state: string;
  verifier: string;
  /** what an ID token must bring back; it is sent with the scope `openid` */
  nonce: string;
  /** its tokens are bound to the key of this browser */
  bound: boolean;
  request: string;
  /** how it was pushed; empty: it was not */
  pushed: Exchange[];
};

const KEY = 'gatehouse-playground';

/**
 * The `state` of a request for this client (RFC 6749 §4.1.1): `random.client_id`. The answer arrives at an address
 * without the client, and the service renders the page before any script can read the kept attempt.
 */
export const stateFor = (clientId: string, random: string): string => `${random}.${clientId}`;

/** The client that an answer's `state` names; undefined: none. `random` is base64url and contains no dot. */
export function clientOfState(state: string | undefined): string | undefined {
  const dot = state?.indexOf('.') ?? -1;
  return dot < 0 ? undefined : state?.slice(dot + 1);
}

export function keep(attempt: Attempt): void {
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
}

export function kept(): Attempt | null {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : (JSON.parse(text) as Attempt);
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
}

/** Reads the answer and checks it against the request. */
export type Answer = {
  code: string | null;
  error: string | null;
  description: string | null;
  checks: Check[];
};
export type Check = { name: string; ok: boolean; words: string; values?: { reason: string } };

export function readAnswer(search: string, attempt: Attempt): Answer | null {
  const params = new URLSearchParams(search);
  const [code, error] = [params.get('code'), params.get('error')];
  if (code === null && error === null) return null;
  const sameState = params.get('state') === attempt.state;
  const sameIssuer = params.get('iss') === attempt.combination.issuer;
  return {
    code,
    error,
    description: params.get('error_description'),
    checks: [
      {
        name: 'state',
        ok: sameState,
        words: sameState
          ? toSay('is the one we sent: the answer belongs to our request')
          : toSay('is not the one we sent: stop here'),
      },
      {
        name: 'iss',
        ok: sameIssuer,
        words: sameIssuer
          ? toSay('is the issuer we asked')
          : toSay('is another issuer than we asked: stop here'),
      },
    ],
  };
}
