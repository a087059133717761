// What an authentication method can do. Not a base class: the password grant asks for `verifyPassword`, and its absence
// is the answer (specification 1.6).

import type { Asker } from '#lib/kit/index.ts';

export type Verdict =
  /** `authTime`: when the person proved it, where that was not just now */
  | { kind: 'identity'; personId: string; authTime?: Date }
  | { kind: 'refused' }
  /** the one who could say is not there: nobody is let in */
  | { kind: 'unavailable' };

export type StartSignIn = {
  /** where the broker sends the person back to */
  redirectUri: string;
  state: string;
  loginHint: string | null;
  maxAgeSeconds: number | null;
  /** the person shall prove it again, whatever session the broker has */
  again: boolean;
};

/** What the broker's answer is checked against; kept, sealed, while the person is away. */
export type Expectation = {
  redirectUri: string;
  state: string;
  codeVerifier: string;
  /** OpenID Connect only */
  nonce: string | null;
  maxAgeSeconds: number | null;
};

export type Departure =
  | { kind: 'depart'; location: string; expectation: Expectation }
  | { kind: 'unavailable' };

/** `iss` (RFC 9207): 'not-sent' where the answer came by a way that never carries it. */
export type BrokerAnswer = { code: string; iss: string | null | 'not-sent' };

/** A broker's ID token that was presented to us: whose it is, and until when. */
export type IdTokenVerdict =
  | { kind: 'identity'; personId: string; authTime: Date; expiresAt: number }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

export type AuthMethod = {
  readonly id: string;
  readonly type: 'local' | 'external' | 'broker';
  readonly verifyPassword?: (username: string, password: string, asker?: Asker) => Promise<Verdict>;
  readonly startSignIn?: (input: StartSignIn) => Promise<Departure>;
  readonly finishSignIn?: (answer: BrokerAnswer, expected: Expectation) => Promise<Verdict>;
  /** an OpenID Connect broker's, by their `iss` */
  readonly idTokens?: {
    readonly issuer: string;
    readonly verify: (idToken: string) => Promise<IdTokenVerdict>;
  };
};
