// What a kind of sign-in method is: its words, its configuration, its secret, and what it can do.
import { z } from 'zod';
import type { Sentence } from '#lib/kit/text.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import type { OutboundFailed } from '#lib/outbound/failed.ts';
import { claimMap, methodSecondFactor, SECOND_FACTOR_WORDS } from '../claims.ts';
import { type ChoiceWords, field } from '../definition.ts';

/** What the code asks of a method instead of its type. Each kind answers each question. */
export const CAPABILITIES = {
  asksPassword:
    'it checks a name and a password: on a form of ours, and for the password grant (RFC 6749 §4.3)',
  redirects: 'it sends people to a page of another service, which sends them back',
  hasAccounts: 'its people are accounts of ours: passwords, passkeys, registration, and roles in the console',
  tellsProfile: 'it tells the claims of a profile without a claim map (OpenID Connect Core §5.1)',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** As the configuration file has it. */
export type MethodConfig = Readonly<Record<string, unknown>>;
export type ConfigFault = { path: string[]; message: string };

/** What another service answered about a username and password. */
export type VerifierAnswer =
  | { kind: 'accepted'; profile: { sub: string; [member: string]: unknown } }
  /** `reason`: for the log; `mustChange`: the password was right, and is not taken before it is changed */
  | { kind: 'refused'; reason?: string; mustChange?: true; referrals?: number }
  /** `referrals`: to other servers, which are not asked; `status`: of an HTTP answer */
  | { kind: 'no-verdict'; because: string; referrals?: number; status?: number };

/** `secret`: opened; null: there is none. `id`: of the method, for a breaker of its own. */
export type VerifyPassword = (
  method: { id: string; config: MethodConfig; secret: string | null },
  username: string,
  password: TypedPassword,
  underLimit?: UnderLimit,
) => Promise<VerifierAnswer>;

/**
 * Checks the password of one account under the limit of that account, whichever of its names was typed. Rejects without
 * a check if the limit is used up. `account`: what names it for good; null: the check let it in.
 */
export type UnderLimit = (
  account: string,
  check: () => Promise<VerifierAnswer | null>,
) => Promise<VerifierAnswer | null>;

/** A method to ask; `secret`: opened. */
export type AskedMethod = Parameters<VerifyPassword>[0];

/** Why the other service would not let a person in now. */
export type StandingFault = 'locked' | 'disabled' | 'expired' | 'rejected';

/** What the other service has of people, by their subjects; who is in no member may be there, and it cannot say. */
export type Standings = {
  refused: ReadonlyMap<string, StandingFault>;
  missing: readonly string[];
  /** `place`: where each is now, for `profileAt` */
  present: ReadonlyMap<string, string>;
  /** it has people who cannot be told apart, and says nothing of these */
  unclear: boolean;
};

/** Asks about people that it let in before, without a password. */
export type Recheck = {
  /** how often; null: never */
  everySeconds: (config: MethodConfig) => number | null;
  /** at most 50 subjects; `no-verdict`: nothing is known of any of them */
  standings: (
    method: AskedMethod,
    subjects: readonly string[],
  ) => Promise<({ kind: 'answered' } & Standings) | { kind: 'no-verdict'; because: string }>;
  /** as a sign-in would give it; `silent`: the service did not answer at all */
  profileAt: (
    method: AskedMethod,
    who: { subject: string; place: string },
  ) => Promise<
    | { kind: 'told'; profile: Readonly<Record<string, unknown>> }
    | { kind: 'no-verdict'; because: string; silent: boolean }
  >;
};

/** What an answer means, and what makes it better. */
export type ProbeVerdict = { state: 'ok' | 'warning' | 'broken'; found: Sentence; change?: Sentence };
/** About something else that the same answer tells. `key`: of the configuration, at which a file is warned. */
export type FurtherVerdict = ProbeVerdict & { check: Sentence; key?: string };

/** An answer of the other service, whole and untrusted. */
export type ProbeAnswer = {
  status: number;
  headers: Headers;
  /** where it redirects to; null: it does not */
  location: string | null;
  body: string;
  /** of a body that is a JSON object */
  members: Record<string, unknown> | null;
  /** of OAuth, in JSON or in a form (RFC 6749 §5.2) */
  error: string | null;
};

/** What is asked of the other service. */
export type Probe = {
  /** what it is about */
  check: Sentence;
  address: string;
  /** what is posted; without it, a GET */
  send?: { headers: Readonly<Record<string, string>>; body: URLSearchParams | string };
  /** a redirect is an answer, too */
  redirects?: true;
  judge: (answer: ProbeAnswer) => ProbeVerdict & { more?: FurtherVerdict[]; next?: Probe[] };
};

/** A step that a kind took itself; `failed`: no answer that counts came from there. */
export type TakenStep = {
  check: Sentence;
  sent: string;
  answered: string | null;
  tookMs: number;
} & (ProbeVerdict | { failed: OutboundFailed; host: string; port: number; seconds: number });

/** Of a person whose sign-in is tried. `password` null: they are only looked for. */
export type TriedPerson = { name: string; password: string | null };

/** `mayBind` false: nothing secret is sent. */
export type TrialAs = { mayBind: boolean; person: TriedPerson | null };

/** Asking as a sign-in does: with the secret, opened, and our redirect address. */
export type ProbeAs = { callback: string; secret: string | null };

export type MethodKind<Type extends string = string> = {
  /** in the configuration file and the column */
  type: Type;
  capabilities: Readonly<Record<Capability, boolean>>;
  /** `catalogue`: beside its name on the page of an API */
  words: ChoiceWords & { catalogue: string };
  config: z.ZodObject;
  /** `key`: in the configuration file; `label`: of its field in the console; null: it has none */
  secret: {
    key: string;
    label: string;
    /** the key of `config` that it is for, in which the file has it */
    within?: string;
    /** a new method may be without it */
    isOptional?: true;
    /** the key of `config` with which it is a key that signs our secrets, and what the file calls that key in there */
    signing?: { in: string; key: string };
  } | null;
  /** the keys of `config` with an address that this service calls */
  addresses?: readonly string[];
  /** what no single key of `config` can say */
  faults?: (config: MethodConfig) => ConfigFault[];
  /** what a configuration asks of its secret */
  secretFaults?: (
    config: MethodConfig,
    given: { hasSecret: boolean; secret: string | undefined },
  ) => ConfigFault[];
  /** what a checkbox of its form means that the configuration says nothing of */
  unsaid?: MethodConfig;
  /** with what the configuration leaves out and something else in it says; left out: as it is */
  whole?: (config: MethodConfig) => MethodConfig;
  /** who answers: where one of these changes, the subjects are others; left out: always the same */
  whoAnswers?: (config: MethodConfig) => readonly unknown[];
  /** what the configuration file means where it says nothing; null takes away what is stored, undefined leaves it */
  defaultsInFile?: (given: MethodConfig) => MethodConfig;
  /** a choice of its form with other fields below it (`under`), which `config` answers by the keys that it has */
  choice?: {
    field: { name: string; label: string; choices: Readonly<Record<string, ChoiceWords>> };
    chosen: (config: MethodConfig) => string;
  };
  /** do administrators of the provider control this claim, by the provider's name? left out: each but personal ones */
  provesClaim?: (config: MethodConfig, member: string) => boolean;
  /** do users of several tenants sign in? left out: no */
  hasTenants?: (config: MethodConfig) => boolean;
  /** the tenant that a value of a rule names (`TENANT/VALUE`); null: none that may sign in */
  tenantOf?: (config: MethodConfig, value: string) => string | null;
  /** may one person sign in by more than one name? left out: by one */
  severalNames?: (config: MethodConfig) => boolean;
  /** of a kind that asks for a password of others' accounts */
  verify?: VerifyPassword;
  /** of a kind that can be asked about people without their passwords */
  recheck?: Recheck;
  /** what is to be said of a configuration without a call */
  remarks?: (config: MethodConfig) => FurtherVerdict[];
  /** `as` null: nothing secret is sent, and nothing is asked in our name */
  probes?: (config: MethodConfig, as: ProbeAs | null) => Probe[];
  /** instead of probes, of a service that speaks no HTTP */
  trial?: (
    method: { id: string; config: MethodConfig; secret: string | null },
    as: TrialAs,
  ) => Promise<TakenStep[]>;
  /** where the secret is sent, and how; left out: to `addresses` */
  sendsTo?: (config: MethodConfig) => readonly unknown[];
};

// Fields of `config` that several kinds have.

export const milliseconds = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

const WAIT =
  'Milliseconds to wait for each answer, up to 60000; no wait is longer than 5 s. Left out: 3000, of a broker 5000';
const TIMEOUT = 'Give up after, milliseconds';
export const timeout = field(milliseconds.optional().describe(WAIT), TIMEOUT);
export const timeoutOf = (usual: number) => field(milliseconds.default(usual).describe(WAIT), TIMEOUT);

const mayBePrivate = z
  .boolean()
  .default(false)
  .describe('Calls to private addresses and over http are allowed; of a directory also without TLS');
export const privateNetwork = field(mayBePrivate, 'It may be called at a private address, and without TLS', {
  note: 'Only for a service in your own network. Otherwise such addresses are refused.',
  group: 'Network',
});

export const privateDirectory = field(
  mayBePrivate,
  'It may be called at a private address, and without TLS',
  {
    note: 'Only for a directory in your own network. Otherwise such addresses are refused.',
    group: 'Network',
  },
);

/** What people of another service have beside a name and an address. */
export const describedPeople = {
  claims: claimMap
    .optional()
    .describe(
      'Our name of a claim to the member that holds it there, such as {department: ou, groups: memberOf}; at most 50',
    ),
  trust_email: field(
    z
      .boolean()
      .optional()
      .describe(
        'An e-mail address from there counts as verified; a broker must also say so of each (email_verified)',
      ),
    'Addresses from there count as verified',
    {
      note: 'Only where they are proved there. A broker must also say so of each address.',
      group: 'E-mail addresses',
    },
  ),
};

/** `unset`: what the form says of a method that says nothing. */
export const secondFactor = (unset: string) =>
  field(methodSecondFactor, 'Second factor', {
    choices: { '': { label: 'Not set', note: unset }, ...SECOND_FACTOR_WORDS },
  });
export const secondFactorElsewhere = secondFactor(
  'Nobody is asked for one: that is for the service that checks them.',
);

/** What is wrong with an address that this service calls; null: nothing, or it is no address at all. */
export function addressFault(address: unknown, mayBePrivate: boolean): string | null {
  if (mayBePrivate || typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'http:') return 'must be https unless allow_private_network is true';
  return namesPrivateHost(url) ? 'must not be a private address unless allow_private_network is true' : null;
}
