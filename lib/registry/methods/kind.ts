// A sign-in method kind: texts, configuration, secret and capabilities.
import { z } from 'zod';
import type { Sentence } from '#lib/kit/text.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import type { OutboundFailed } from '#lib/outbound/failed.ts';
import { claimMap, methodSecondFactor, SECOND_FACTOR_WORDS } from '../claims.ts';
import { type ChoiceWords, field } from '../definition.ts';

/** Capabilities that code checks instead of the method type. Each kind defines every one. */
export const CAPABILITIES = {
  asksPassword:
    'it verifies a name and a password: on a sign-in page of Gatehouse, and for the password grant (RFC 6749 §4.3)',
  redirects: 'it redirects people to another service, which redirects them back',
  hasAccounts:
    'its people have accounts in Gatehouse: passwords, passkeys, registration, and roles in the console',
  tellsProfile: 'it provides the profile claims without a claim map (OpenID Connect Core §5.1)',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** As the configuration file has it. */
export type MethodConfig = Readonly<Record<string, unknown>>;
export type ConfigFault = { path: string[]; message: string };

/** Result of password verification at another service. */
export type VerifierAnswer =
  | { kind: 'accepted'; profile: { sub: string; [member: string]: unknown } }
  /** `reason`: for the log; `mustChange`: correct password, rejected until the user changes it */
  | { kind: 'refused'; reason?: string; mustChange?: true; referrals?: number }
  /** `referrals`: number of unfollowed referrals to other servers; `status`: HTTP response status */
  | { kind: 'no-verdict'; because: string; referrals?: number; status?: number };

/** `secret`: decrypted; null: none. `id`: method id, for a separate breaker. */
export type VerifyPassword = (
  method: { id: string; config: MethodConfig; secret: string | null },
  username: string,
  password: TypedPassword,
  underLimit?: UnderLimit,
) => Promise<VerifierAnswer>;

/**
 * Checks the password under the account's limit, shared by all its names. Rejects without a check if the limit is
 * exhausted. `account`: permanent account identifier; null: the check accepted it.
 */
export type UnderLimit = (
  account: string,
  check: () => Promise<VerifierAnswer | null>,
) => Promise<VerifierAnswer | null>;

/** A method to ask; `secret`: opened. */
export type AskedMethod = Parameters<VerifyPassword>[0];

/** Reason why the remote service currently rejects the user. */
export type StandingFault = 'locked' | 'disabled' | 'expired' | 'rejected';

/** Account states at the remote service, by subject. If no member contains a subject, its state is unknown. */
export type Standings = {
  refused: ReadonlyMap<string, StandingFault>;
  missing: readonly string[];
  /** `place`: current location, used by `profileAt` */
  present: ReadonlyMap<string, string>;
  /** true: some users are indistinguishable, so their state remains unknown */
  unclear: boolean;
};

/** Queries previously accepted users without passwords. */
export type Recheck = {
  /** how often; null: never */
  everySeconds: (config: MethodConfig) => number | null;
  /** maximum 50 subjects; `no-verdict`: every state is unknown */
  standings: (
    method: AskedMethod,
    subjects: readonly string[],
  ) => Promise<({ kind: 'answered' } & Standings) | { kind: 'no-verdict'; because: string }>;
  /** profile returned at sign-in; `silent`: no response */
  profileAt: (
    method: AskedMethod,
    who: { subject: string; place: string },
  ) => Promise<
    | { kind: 'told'; profile: Readonly<Record<string, unknown>> }
    | { kind: 'no-verdict'; because: string; silent: boolean }
  >;
};

/** Interpretation of a response, plus remedy. */
export type ProbeVerdict = { state: 'ok' | 'warning' | 'broken'; found: Sentence; change?: Sentence };
/** Verdict about another aspect of the same response. `key`: configuration key for the file warning. */
export type FurtherVerdict = ProbeVerdict & { check: Sentence; key?: string };

/** Complete, untrusted response of the remote service. */
export type ProbeAnswer = {
  status: number;
  headers: Headers;
  /** redirect target; null: no redirect */
  location: string | null;
  body: string;
  /** members of a JSON object body */
  members: Record<string, unknown> | null;
  /** OAuth error, from JSON or form encoding (RFC 6749 §5.2) */
  error: string | null;
};

/** A remote service request. */
export type Probe = {
  /** what it is about */
  check: Sentence;
  address: string;
  /** POST content; missing: GET */
  send?: { headers: Readonly<Record<string, string>>; body: URLSearchParams | string };
  /** a redirect is an answer, too */
  redirects?: true;
  judge: (answer: ProbeAnswer) => ProbeVerdict & { more?: FurtherVerdict[]; next?: Probe[] };
};

/** A step performed by the kind itself; `failed`: no usable response. */
export type TakenStep = {
  check: Sentence;
  sent: string;
  answered: string | null;
  tookMs: number;
} & (ProbeVerdict | { failed: OutboundFailed; host: string; port: number; seconds: number });

/** User of a trial sign-in. `password` null: lookup only. */
export type TriedPerson = { name: string; password: string | null };

/** `mayBind` false: nothing secret is sent. */
export type TrialAs = { mayBind: boolean; person: TriedPerson | null };

/** Data of probes that authenticate like a sign-in: Gatehouse's redirect address, and the decrypted secret. */
export type ProbeAs = { callback: string; secret: string | null };

export type MethodKind<Type extends string = string> = {
  /** type in configuration file and column */
  type: Type;
  capabilities: Readonly<Record<Capability, boolean>>;
  /** `catalogue`: text beside the method's name on an API's page */
  words: ChoiceWords & { catalogue: string };
  config: z.ZodObject;
  /** `key`: configuration file key; `label`: console field label; null: no field */
  secret: {
    key: string;
    label: string;
    /** `config` key that contains the secret in the file */
    within?: string;
    /** optional for a new method */
    isOptional?: true;
    /**
     * `in`: the `config` key that turns the secret into a signing key; `key`: the secret's name inside it in the file
     */
    signing?: { in: string; key: string };
  } | null;
  /** `config` keys with addresses that Gatehouse calls */
  addresses?: readonly string[];
  /** faults across several `config` keys */
  faults?: (config: MethodConfig) => ConfigFault[];
  /** secret requirements of a configuration */
  secretFaults?: (
    config: MethodConfig,
    given: { hasSecret: boolean; secret: string | undefined },
  ) => ConfigFault[];
  /** checkbox meaning if the configuration omits the key */
  unsaid?: MethodConfig;
  /** adds omitted values derived from other keys; missing: unchanged */
  whole?: (config: MethodConfig) => MethodConfig;
  /** identity of the remote service: a change replaces all subjects; missing: constant */
  whoAnswers?: (config: MethodConfig) => readonly unknown[];
  /** default values in the configuration file; null deletes a stored value, undefined keeps it */
  defaultsInFile?: (given: MethodConfig) => MethodConfig;
  /** form choice with dependent fields (`under`); the keys of `config` determine the selection */
  choice?: {
    field: { name: string; label: string; choices: Readonly<Record<string, ChoiceWords>> };
    chosen: (config: MethodConfig) => string;
  };
  /** true if the provider's administrators control this claim, by provider name; missing: all except personal claims */
  provesClaim?: (config: MethodConfig, member: string) => boolean;
  /** true if users of several tenants sign in; missing: false */
  hasTenants?: (config: MethodConfig) => boolean;
  /** tenant named in a rule value (`TENANT/VALUE`); null: no allowed tenant */
  tenantOf?: (config: MethodConfig, value: string) => string | null;
  /** true if a user can have several sign-in names; missing: false */
  severalNames?: (config: MethodConfig) => boolean;
  /** for kinds that verify passwords remotely */
  verify?: VerifyPassword;
  /** for kinds that query users without passwords */
  recheck?: Recheck;
  /** configuration remarks without network calls */
  remarks?: (config: MethodConfig) => FurtherVerdict[];
  /** `as` null: probes send no secret and do not act in Gatehouse's name */
  probes?: (config: MethodConfig, as: ProbeAs | null) => Probe[];
  /** replaces the probes of a service that does not use HTTP */
  trial?: (
    method: { id: string; config: MethodConfig; secret: string | null },
    as: TrialAs,
  ) => Promise<TakenStep[]>;
  /** recipients of the secret, and its transmission method; missing: `addresses` */
  sendsTo?: (config: MethodConfig) => readonly unknown[];
};

// Fields of `config` that several kinds have.

export const milliseconds = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

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

/** User fields of another service besides name and address. */
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
      note: 'Only if the source verifies them. A broker must also confirm this for each address.',
      group: 'Email addresses',
    },
  ),
};

/** `unset`: form text for a method without the setting. */
export const secondFactor = (unset: string) =>
  field(methodSecondFactor, 'Second factor', {
    choices: { '': { label: 'Not set', note: unset }, ...SECOND_FACTOR_WORDS },
  });
export const secondFactorElsewhere = secondFactor(
  'No one is asked for a second factor: the service that checks people is responsible for that.',
);

/** Fault of an address that Gatehouse calls; null: valid, or not an address. */
export function addressFault(address: unknown, mayBePrivate: boolean): string | null {
  if (mayBePrivate || typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'http:') return 'must be https unless allow_private_network is true';
  return namesPrivateHost(url) ? 'must not be a private address unless allow_private_network is true' : null;
}
