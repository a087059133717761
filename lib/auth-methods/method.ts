// The capabilities of an authentication method. A missing member means that the method cannot do it: the password grant
// needs `verifyPassword` (RFC 6749 §4.3).
import type { HashRequest } from '#lib/kit/password-hash.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import type { Reached } from '#lib/store/hot/credentials.ts';
import type { AttemptContext } from './attempts.ts';
import type { IdJagProof } from './broker-discovery.ts';

export type Verdict =
  /**
   * `personEpoch`: value at the time of the check; after a sign-out, nothing starts with an older epoch. `hasFactor`:
   * the person has a second factor, so a password alone is insufficient. `authTime`: set if the person signed in
   * earlier.
   */
  | {
      kind: 'identity';
      personId: string;
      personEpoch: string;
      hasFactor?: boolean;
      /** `false`: the account belongs to another local method, and this method does not admit it */
      letIn?: boolean;
      /** the person must choose a new password before anything else begins */
      owesPassword?: true;
      /** the former service just confirmed the password; the person gets a mail if they have an address */
      adopted?: Reached;
      authTime?: Date;
      amr?: string[];
      brokerAcr?: string | null;
    }
  /** `no-auth-time`: the client sent max_age, and the broker returned no sign-in time */
  | { kind: 'refused'; because?: 'no-auth-time' }
  /** no verdict: sign-in rejected */
  | { kind: 'unavailable' };

export type PasswordVerdict =
  | Verdict
  /** `told`: the reason, from a fixed list per method kind, for the audit log */
  | { kind: 'refused'; told?: string }
  /** right password, but the verifying service requires a change first */
  | { kind: 'must-change'; told?: string };

export type StartSignIn = {
  /** origin of the redirect URI; its path is `callbackOf` the method */
  origin: string;
  state: string;
  loginHint: string | null;
  maxAgeSeconds: number | null;
  /** sent as `max_age` if `maxAgeSeconds` is missing; older sign-ins remain valid, with their own time */
  freshSeconds?: number;
  /** requires a new authentication at the broker (`prompt=login`) */
  again: boolean;
};

/** Expected values for the broker’s answer. They are stored sealed while the person signs in at the broker. */
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
  /** callback path; `null`: a client received the answer and passed it on */
  arrivedAt: string | null;
  /** the person’s name from a form post (`user`), unsigned */
  name?: string | null;
  /** the answer is complete: if the metadata promises an `iss`, it must be present */
  whole: boolean;
};

/** The verdict on a broker's ID token; `expiresAt` in seconds since 1970. */
export type IdTokenVerdict =
  | { kind: 'identity'; personId: string; personEpoch: string; authTime: Date; expiresAt: number }
  | { kind: 'refused' }
  | { kind: 'unavailable' };

/** The claims of a verified ID-JAG about its person; `issuedAt` in seconds since 1970. */
export type ToldByIdJag = { subject: string; issuedAt: number; payload: Readonly<Record<string, unknown>> };

/** `context`: used for limit events. `checked`: called once, after the hash queue and its delay. */
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
  /** only for an OpenID Connect broker: the identity assertions (ID-JAG) that it signs for a person */
  readonly idJags?: {
    readonly issuer: string;
    /** verifies that the broker issued an assertion with parsed claims */
    readonly prove: (assertion: string) => Promise<IdJagProof | 'unavailable'>;
    /**
     * person of a verified identity, created at the first sign-in; `null`: the person is disabled, or the method’s
     * broker changed
     */
    readonly personOf: (told: ToldByIdJag) => Promise<{ personId: string; personEpoch: string } | null>;
  };
};
