// A kind of sign-in method: its texts, configuration, secret and capabilities.
import { z } from 'zod';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import type { Sentence } from '#lib/kit/text.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import type { OutboundFailed } from '#lib/outbound/failed.ts';
import { claimMap, methodSecondFactor, SECOND_FACTOR_WORDS } from '#lib/registry/claims.ts';
import { type ChoiceWords, field } from '#lib/registry/definition.ts';
import { wholeNumber } from '#lib/registry/values.ts';

/** Capabilities, which code checks instead of the type of a method. Each kind defines every capability. */
export const CAPABILITIES = {
  asksPassword:
    'it verifies a name and a password: on a sign-in page of Gatehouse, and for the password grant (RFC 6749 §4.3)',
  redirects: 'it redirects people to another service, which redirects them back',
  hasAccounts:
    'its people have accounts in Gatehouse: passwords, passkeys, registration, and roles in the console',
  tellsProfile: 'it provides the profile claims without a claim map (OpenID Connect Core §5.1)',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** The configuration as in the configuration file. */
export type MethodConfig = Readonly<Record<string, unknown>>;
export type ConfigFault = { path: string[] } & FaultText;

/** Result of verifying a password at another service. */
export type VerifierAnswer =
  | { kind: 'accepted'; profile: { sub: string; [member: string]: unknown } }
  /** `reason`: for the log; `mustChange`: the password is correct, but is rejected until the user changes it */
  | { kind: 'refused'; reason?: string; mustChange?: true; referrals?: number }
  /**
   * `referrals`: number of referrals to other servers that were not followed; `status`: status of the HTTP response
   */
  | { kind: 'no-verdict'; because: string; referrals?: number; status?: number };

/** `secret`: decrypted; null: none. `id`: id of the method, which has a separate circuit breaker. */
export type VerifyPassword = (
  method: { id: string; config: MethodConfig; secret: string | null },
  username: string,
  password: TypedPassword,
  underLimit?: UnderLimit,
) => Promise<VerifierAnswer>;

/**
 * A function that runs the check of a password under the limit of the account, which is shared by all names of
 * the account. If the limit is used up, it rejects without a check. `account`: the account's permanent
 * identifier. If the check returns null, the password was accepted.
 */
export type UnderLimit = (
  account: string,
  check: () => Promise<VerifierAnswer | null>,
) => Promise<VerifierAnswer | null>;

/** A method whose service is called; `secret`: decrypted. */
export type AskedMethod = Parameters<VerifyPassword>[0];

/** The reason why the remote service rejects the user at present. */
export type StandingFault = 'locked' | 'disabled' | 'expired' | 'rejected';

/**
 * States of accounts at the remote service, by subject. If no member contains a subject, the state of its account is
 * not known.
 */
export type Standings = {
  refused: ReadonlyMap<string, StandingFault>;
  missing: readonly string[];
  /** `place`: the present location of the entry, which `profileAt` uses */
  present: ReadonlyMap<string, string>;
  /** true: some users cannot be distinguished, so their state is not known */
  unclear: boolean;
};

/** Functions that check, without passwords, whether the service would still accept earlier users. */
export type Recheck = {
  /** seconds between two checks; null: never */
  everySeconds: (config: MethodConfig) => number | null;
  /** returns the states of at most 50 users; `no-verdict`: no state is known */
  standings: (
    method: AskedMethod,
    subjects: readonly string[],
  ) => Promise<({ kind: 'answered' } & Standings) | { kind: 'no-verdict'; because: string }>;
  /** the profile that a sign-in would return; `silent`: the service did not respond */
  profileAt: (
    method: AskedMethod,
    who: { subject: string; place: string },
  ) => Promise<
    | { kind: 'told'; profile: Readonly<Record<string, unknown>> }
    | { kind: 'no-verdict'; because: string; silent: boolean }
  >;
};

/** The meaning of a response, and the remedy. */
export type ProbeVerdict = { state: 'ok' | 'warning' | 'broken'; found: Sentence; change?: Sentence };
/**
 * Verdict about another aspect of the same response. `key`: key of the configuration, for the warning about the file.
 */
export type FurtherVerdict = ProbeVerdict & { check: Sentence; key?: string };

/** The complete response of the remote service, which is not trusted. */
export type ProbeAnswer = {
  status: number;
  headers: Headers;
  /** target of the redirect; null: the response is not a redirect */
  location: string | null;
  body: string;
  /** members of the body if it is a JSON object, otherwise null */
  members: Record<string, unknown> | null;
  /** OAuth error in JSON or form encoding (RFC 6749 §5.2) */
  error: string | null;
};

/** A request to the remote service. */
export type Probe = {
  /** what the request checks, as a heading */
  check: Sentence;
  address: string;
  /** content of a POST; missing: the request is a GET */
  send?: { headers: Readonly<Record<string, string>>; body: URLSearchParams | string };
  /** a redirect is an acceptable response */
  redirects?: true;
  judge: (answer: ProbeAnswer) => ProbeVerdict & { more?: FurtherVerdict[]; next?: Probe[] };
};

/** A step of a test that the kind of method performs itself. `failed`: there was no usable response. */
export type TakenStep = {
  check: Sentence;
  sent: string;
  answered: string | null;
  tookMs: number;
} & (ProbeVerdict | { failed: OutboundFailed; host: string; port: number; seconds: number });

/** The user of a test sign-in. `password` null: the user is only looked up. */
export type TriedPerson = { name: string; password: string | null };

/** `mayBind` false: no secret is sent. */
export type TrialAs = { mayBind: boolean; person: TriedPerson | null };

/** Data for probes that authenticate like a sign-in: Gatehouse's redirect address, and the decrypted secret. */
export type ProbeAs = { callback: string; secret: string | null };

export type MethodKind<Type extends string = string> = {
  /** type in the configuration file and in the column */
  type: Type;
  capabilities: Readonly<Record<Capability, boolean>>;
  /** `catalogue`: text next to the name of the method on the page of an API */
  words: ChoiceWords & { catalogue: string };
  config: z.ZodObject;
  /** `key`: key in the configuration file; `label`: label of the field in the console; null: there is no field */
  secret: {
    key: string;
    label: string;
    /** the key of `config` that contains the secret in the file */
    within?: string;
    /** the secret is optional for a new method */
    isOptional?: true;
    /**
     * `in`: the key of `config` that makes the secret a signing key; `key`: name of the secret inside that key, in
     * the file
     */
    signing?: { in: string; key: string };
  } | null;
  /** keys of `config` with addresses that Gatehouse calls */
  addresses?: readonly string[];
  /** faults that concern several keys of `config` */
  faults?: (config: MethodConfig) => ConfigFault[];
  /** faults of the secret, according to the configuration */
  secretFaults?: (
    config: MethodConfig,
    given: { hasSecret: boolean; secret: string | undefined },
  ) => ConfigFault[];
  /** value that a checkbox shows if the configuration omits its key */
  unsaid?: MethodConfig;
  /** adds values that were omitted and follow from other keys; missing: nothing is added */
  whole?: (config: MethodConfig) => MethodConfig;
  /**
   * identifies the remote service: if this changes, the stored subjects are no longer valid; missing: it never
   * changes
   */
  whoAnswers?: (config: MethodConfig) => readonly unknown[];
  /** values that apply if the configuration file omits keys; null deletes a stored value, undefined keeps it */
  defaultsInFile?: (given: MethodConfig) => MethodConfig;
  /**
   * a choice in the form, with fields that depend on it (`under`); the keys of `config` determine the selected value
   */
  choice?: {
    field: { name: string; label: string; choices: Readonly<Record<string, ChoiceWords>> };
    chosen: (config: MethodConfig) => string;
  };
  /**
   * true if the provider's administrators control this claim, given under its name at the provider; missing: true for
   * all claims except personal ones
   */
  provesClaim?: (config: MethodConfig, member: string) => boolean;
  /** true if users of several tenants can sign in; missing: false */
  hasTenants?: (config: MethodConfig) => boolean;
  /** the tenant in the value of a rule (`TENANT/VALUE`); null: the value names no allowed tenant */
  tenantOf?: (config: MethodConfig, value: string) => string | null;
  /** true if a user can have several names for signing in; missing: false */
  severalNames?: (config: MethodConfig) => boolean;
  /** for kinds whose service verifies passwords */
  verify?: VerifyPassword;
  /** for kinds whose service reports a user's state without a password */
  recheck?: Recheck;
  /** remarks about the configuration, without network calls */
  remarks?: (config: MethodConfig) => FurtherVerdict[];
  /** `as` null: the probes send no secret, and no request in the name of Gatehouse */
  probes?: (config: MethodConfig, as: ProbeAs | null) => Probe[];
  /** replaces the probes if the service does not use HTTP */
  trial?: (
    method: { id: string; config: MethodConfig; secret: string | null },
    as: TrialAs,
  ) => Promise<TakenStep[]>;
  /** the receivers of the secret, and how it is sent; missing: `addresses` */
  sendsTo?: (config: MethodConfig) => readonly unknown[];
};

// Fields of `config` that several kinds use.

export const milliseconds = wholeNumber(1, 60_000);

const WAIT =
  'Milliseconds to wait for each response, up to 60000; a single wait takes at most 5 s. Default: 3000, for a broker 5000';
const TIMEOUT = 'Timeout (milliseconds)';
export const timeout = field(milliseconds.optional().describe(WAIT), TIMEOUT);
export const timeoutOf = (usual: number) => field(milliseconds.default(usual).describe(WAIT), TIMEOUT);

const mayBePrivate = z
  .boolean()
  .default(false)
  .describe('Allows calls to private addresses and over http; for a directory also without TLS');
export const privateNetwork = field(mayBePrivate, 'Allow private addresses and connections without TLS', {
  note: 'Only for a service in your own network. Otherwise such addresses are rejected.',
  group: 'Network',
});

export const privateDirectory = field(mayBePrivate, 'Allow private addresses and connections without TLS', {
  note: 'Only for a directory in your own network. Otherwise such addresses are rejected.',
  group: 'Network',
});

/** Fields about users of another service, besides name and address. */
export const describedPeople = {
  claims: claimMap
    .optional()
    .describe(
      'A map of claims of Gatehouse to members at the provider, such as {department: ou, groups: memberOf}; at most 50',
    ),
  trust_email: field(
    z
      .boolean()
      .optional()
      .describe(
        'Email addresses from the provider are treated as verified. A broker must also send email_verified',
      ),
    'Trust email addresses from this source',
    {
      note: 'Only if the source verifies email addresses. A broker must also confirm that for each address.',
      group: 'Email addresses',
    },
  ),
};

/** `unset`: text in the form if the method has no such setting. */
export const secondFactor = (unset: string) =>
  field(methodSecondFactor, 'Second factor', {
    choices: { '': { label: 'Not set', note: unset }, ...SECOND_FACTOR_WORDS },
  });
export const secondFactorElsewhere = secondFactor(
  'No one is asked for a second factor: the service that checks people is responsible for that.',
);

export const privateFault = fault('must not be a private address unless {field} is true', {
  field: 'allow_private_network',
});

/** Fault of an address that Gatehouse calls; null: the address is valid, or the value is not an address. */
export function addressFault(address: unknown, mayBePrivate: boolean): FaultText | null {
  if (mayBePrivate || typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'http:')
    return fault('must be https unless {field} is true', { field: 'allow_private_network' });
  return namesPrivateHost(url) ? privateFault : null;
}
