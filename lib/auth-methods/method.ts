// What an authentication method can do. Not a base class: the password grant asks for `verifyPassword`, and its absence
// is the answer (specification 1.6).

import type { Asker } from '#lib/kit/index.ts';

export type Verdict =
  /**
   * `personEpoch`: as it was when they proved it, so that nothing is begun for somebody who was signed out meanwhile.
   * `authTime`: when they proved it, where that was not just now.
   */
  | { kind: 'identity'; personId: string; personEpoch: string; authTime?: Date }
  | { kind: 'refused' }
  /** the one who could say is not there: nobody is let in */
  | { kind: 'unavailable' };

export type StartSignIn = {
  /** the origin that the broker sends the person back to; the path is the method's (`callbackOf`) */
  origin: string;
  state: string;
  loginHint: string | null;
  maxAgeSeconds: number | null;
  /** the person shall prove it again, whatever session the broker has */
  again: boolean;
};

/** What the broker's answer is checked against; kept, sealed, while the person is away. */
export type Expectation = {
  /** which broker was asked (`brokerOf`); absent: by the version before */
  broker?: string;
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

export type BrokerAnswer = {
  code: string;
  /** RFC 9207 */
  iss: string | null;
  /** the path of ours that it came to; null: an application received it, and does not say where */
  arrivedAt: string | null;
  /** with all that the broker sent: an `iss` that it promises in its metadata must be there */
  whole: boolean;
};

/** A broker's ID token that was presented to us: whose it is, and until when. */
export type IdTokenVerdict =
  | { kind: 'identity'; personId: string; personEpoch: string; authTime: Date; expiresAt: number }
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
