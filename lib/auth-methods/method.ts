// The capabilities of an authentication method. A missing member means that the method cannot do it: the password grant
// needs `verifyPassword` (RFC 6749 §4.3).
import type { HashRequest } from '#lib/kit/password-hash.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import type { Reached } from '#lib/store/hot/credentials.ts';
import type { AttemptContext } from './attempts.ts';
import type { IdJagProof } from './broker-discovery.ts';

export type Verdict =
  /**
   * `personEpoch`: at the time of the check; nothing starts for a person who was signed out since.
   * `hasFactor`: the person has a second factor, so only a password is no sign-in. `authTime`: if the person signed in
   * earlier than now.
   */
  | {
      kind: 'identity';
      personId: string;
      personEpoch: string;
      hasFactor?: boolean;
      /** false: the account was made at another local method, and this one has not let it in */
      letIn?: boolean;
      /** nothing begins before the person has chosen a new password here */
      owesPassword?: true;
      /** the password came from the former service just now: the person is told, where they have an address */
      adopted?: Reached;
      authTime?: Date;
      amr?: string[];
      brokerAcr?: string | null;
    }
  /** `no-auth-time`: the client sent max_age, and the broker does not say when the person signed in */
  | { kind: 'refused'; because?: 'no-auth-time' }
  /** no verdict: the sign-in is refused */
  | { kind: 'unavailable' };

export type PasswordVerdict =
  | Verdict
  /** `told`: why, in fixed words of its kind, for the audit log */
  | { kind: 'refused'; told?: string }
  /** the password was right, and the service that checks it takes it no more before it is changed */
  | { kind: 'must-change'; told?: string };

export type StartSignIn = {
  /** of the redirect URI; its path is `callbackOf` the method */
  origin: string;
  state: string;
  loginHint: string | null;
  maxAgeSeconds: number | null;
  /** sent as `max_age` if there is no `maxAgeSeconds`; an older answer is still accepted, with its own time */
  freshSeconds?: number;
  /** ask the broker to authenticate the person again (`prompt=login`) */
  again: boolean;
};

/** What the broker's answer is checked against; stored sealed during the sign-in there. */
export type Expectation = {
  /** `brokerOf` the method */
  broker: string;
  redirectUri: string;
  state: string;
  /** null: the method sends no code challenge */
  codeVerifier: string | null;
  /** OpenID Connect only, where the method sends one */
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
  /** our path that it came to; null: a client received it and passed it on */
  arrivedAt: string | null;
  /** of a form (`user`): what the person is called, unsigned */
  name?: string | null;
  /** all parameters of the answer are here, so an `iss` that the metadata promises must be among them */
  whole: boolean;
};

/** The verdict on a broker's ID token; `expiresAt` in seconds since 1970. */
export type IdTokenVerdict =
  | { kind: 'identity'; personId: string; personEpoch: string; authTime: Date; expiresAt: number }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

/** What a proved ID-JAG says of its person; `issuedAt` in seconds since 1970. */
export type ToldByIdJag = { subject: string; issuedAt: number; payload: Readonly<Record<string, unknown>> };

/**
 * `context`: of events about limits. `checked`: called once, when the password has left the queue of hashes and its wait
 * is over.
 */
export type PasswordAsking = HashRequest & {
  checked?: () => void;
  context?: Omit<AttemptContext, 'reliedOn'>;
};

export type AuthMethod = {
  readonly id: string;
  readonly verifyPassword?: (
    username: string,
    password: TypedPassword,
    asking: PasswordAsking,
  ) => Promise<PasswordVerdict>;
  readonly startSignIn?: (input: StartSignIn) => Promise<Departure>;
  readonly finishSignIn?: (answer: BrokerAnswer, expected: Expectation) => Promise<Verdict>;
  /** of an OpenID Connect broker, identified by `iss` */
  readonly idTokens?: {
    readonly issuer: string;
    readonly verify: (idToken: string) => Promise<IdTokenVerdict>;
  };
  /** of an OpenID Connect broker: the grants for a person that it signs (ID-JAG) */
  readonly idJags?: {
    readonly issuer: string;
    /** of one whose claims were read: is it the broker's? */
    readonly prove: (assertion: string) => Promise<IdJagProof | 'unavailable'>;
    /**
     * the person of a proved identity, made at the first sign-in; null: disabled, or the method has another broker
     * since
     */
    readonly personOf: (told: ToldByIdJag) => Promise<{ personId: string; personEpoch: string } | null>;
  };
};
