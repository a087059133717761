// The capabilities of an authentication method. If a member is missing, the method lacks this capability: the
// password grant needs `verifyPassword` (RFC 6749 §4.3).
import type { HashRequest } from '#lib/kit/password-hash.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import type { Reached } from '#lib/store/hot/credentials.ts';
import type { AttemptContext } from './attempts.ts';
import type { IdJagProof } from './broker-discovery.ts';

export type Verdict =
  /**
   * `personEpoch`: the person's revocation counter (epoch) at the time of the check; after the person was signed out
   * everywhere, no session or token starts with an older value. `hasFactor`: the person has a second factor, so a
   * password alone is insufficient. `authTime`: set if the person signed in earlier.
   */
  | {
      kind: 'identity';
      personId: string;
      personEpoch: string;
      hasFactor?: boolean;
      /** `false`: the account belongs to another local method, and this method does not admit it */
      letIn?: boolean;
      /** the person must choose a new password before any session or token starts */
      owesPassword?: true;
      /** the former service has just confirmed the password; the person gets a mail if they have an address */
      adopted?: Reached;
      authTime?: Date;
      amr?: string[];
      brokerAcr?: string | null;
    }
  /** `no-auth-time`: the client sent max_age, and the broker returned no time of the sign-in */
  | { kind: 'refused'; because?: 'no-auth-time' }
  /** there was no verdict, so the sign-in fails */
  | { kind: 'unavailable' };

export type PasswordVerdict =
  | Verdict
  /** the reason is recorded in the audit log. `told`: a text from a fixed list per kind of method */
  | { kind: 'refused'; told?: string }
  /** the password is right, but the service that verifies it requires a new password first */
  | { kind: 'must-change'; told?: string };

export type StartSignIn = {
  /** origin of the redirect URI; the path of this URI is the result of `callbackOf` */
  origin: string;
  state: string;
  loginHint: string | null;
  maxAgeSeconds: number | null;
  /**
   * sent as `max_age` if `maxAgeSeconds` is missing. If the broker reports an older sign-in, it is accepted
   * with its time
   */
  freshSeconds?: number;
  /** requires a new authentication at the broker (`prompt=login`) */
  again: boolean;
};

/** Expected values for the broker’s answer. They are stored sealed while the person signs in at the broker. */
export type Expectation = {
  /** result of `brokerOf` for the method */
  broker: string;
  redirectUri: string;
  state: string;
  /** null: the method uses no code challenge (PKCE) */
  codeVerifier: string | null;
  /** OpenID Connect only; null: the method sends no nonce */
  nonce: string | null;
  maxAgeSeconds: number | null;
};

export type Departure =
  | { kind: 'depart'; location: string; expectation: Expectation }
  | { kind: 'unavailable' };

export type BrokerAnswer = {
  code: string;
  /** `iss` in the response (RFC 9207) */
  iss: string | null;
  /** path at which the response arrived; `null`: a client received the response and passed it on */
  arrivedAt: string | null;
  /** the person's name in the field `user` of a form post, which is not signed */
  name?: string | null;
  /** the response is complete: if the metadata promise an `iss`, it must be present */
  whole: boolean;
};

/** The verdict on a broker's ID token; `expiresAt` in seconds since 1970. */
export type IdTokenVerdict =
  | { kind: 'identity'; personId: string; personEpoch: string; authTime: Date; expiresAt: number }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

/** The claims of a verified ID-JAG about its person; `issuedAt` in seconds since 1970. */
export type ToldByIdJag = { subject: string; issuedAt: number; payload: Readonly<Record<string, unknown>> };

/**
 * Input of a password check. `context`: for the events of limits. `checked`: called once, after the queue for password
 * hashes and its delay.
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
  /**
   * verification of the broker's ID tokens; only for an OpenID Connect broker, whose identifier is the `iss` of its ID
   * tokens
   */
  readonly idTokens?: {
    readonly issuer: string;
    readonly verify: (idToken: string) => Promise<IdTokenVerdict>;
  };
  /**
   * verification of the identity assertions (ID-JAG) that the broker signs for its users; only for an OpenID Connect
   * broker
   */
  readonly idJags?: {
    readonly issuer: string;
    /** verifies that the broker issued this assertion, whose claims were already parsed */
    readonly prove: (assertion: string) => Promise<IdJagProof | 'unavailable'>;
    /**
     * the person with this verified identity, created if it is new; `null`: the person is disabled, or the broker of
     * the method has changed
     */
    readonly personOf: (told: ToldByIdJag) => Promise<{ personId: string; personEpoch: string } | null>;
  };
};
