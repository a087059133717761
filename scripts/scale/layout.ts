// How the tables would lie on a distributed PostgreSQL, and how each hot statement would find its shard. docs/scale.md shows
// both; lib/oauth/one-shard.db.test.ts runs the statements where only one slot's rows are to be seen.

/**
 * `person`: by the person's slot, which `slot` works out of the row. `own`: by a column that the request names, each row for
 * itself. `machine`: by the slot of a client in its own name, which its tokens carry. `reference`: whole on every node, written seldom. `one node`: whole on one.
 */
export type Lying =
  | { how: 'person'; column: string; slot: string }
  | { how: 'own'; column: string }
  | { how: 'machine'; column: string }
  | { how: 'reference' }
  | { how: 'one node'; because: string };

/** The slot of a person in SQL, as `slotOf` of lib/tokens has it. */
export const SLOT_OF = `create function slot_of(person uuid) returns int language sql immutable strict parallel safe as $$
  select get_byte(sha256(uuid_send(person)), 0) * 256 + get_byte(sha256(uuid_send(person)), 1)
$$`;

const ofFamily = (family: string) =>
  `(select slot_of(f.person_id) from token_families f where f.id = ${family})`;
const byPerson = (column = 'person_id'): Lying => ({ how: 'person', column, slot: `slot_of(${column})` });
const byFamily = (column: string, family = column): Lying => ({
  how: 'person',
  column,
  slot: ofFamily(family),
});

export const TABLES: Readonly<Record<string, Lying>> = {
  people: byPerson('id'),
  external_identities: byPerson(),
  sessions: byPerson(),
  consents: byPerson(),
  delegations: byPerson(),
  trusted_browsers: byPerson(),
  recovery_codes: byPerson(),
  totp_secrets: byPerson(),
  passkeys: byPerson(),
  token_families: byPerson(),
  codes: byPerson(),
  refresh_tokens: byFamily('family_id'),
  opaque_tokens: byFamily('family_id'),
  revoked_tokens: byFamily('jti', `split_part(jti, '.', 1)::uuid`),
  mail_tokens: byPerson(),
  address_changes: byPerson(),
  logout_deliveries: byPerson(),
  audit_events: byPerson(),

  auth_methods: { how: 'reference' },
  apis: { how: 'reference' },
  api_scopes: { how: 'reference' },
  combinations: { how: 'reference' },
  clients: { how: 'reference' },
  client_secrets: { how: 'reference' },
  logos: { how: 'reference' },
  subscriptions: { how: 'reference' },
  subscription_events: { how: 'reference' },
  agent_requests: { how: 'reference' },
  signing_keys: { how: 'reference' },
  subject_salt: { how: 'reference' },
  directory_version: { how: 'reference' },
  directory_changes: { how: 'reference' },

  broker_states: { how: 'own', column: 'state_hash' },
  used_forms: { how: 'own', column: 'token_hash' },
  person_registrations: { how: 'own', column: 'handle_hash' },
  used_assertions: { how: 'own', column: 'id_hash' },
  machine_tokens: { how: 'machine', column: 'client_id' },

  attempts: {
    how: 'one node',
    because: 'a limit counts for all people of an address, a client, or everybody',
  },
  refusals: { how: 'one node', because: 'counted by kind and place, bounded over all of them' },
  refused_requests: { how: 'one node', because: 'of a client, bounded over all clients' },
  usage_counts: { how: 'one node', because: 'sums of what each process counted, for the operators’ page' },
  webhook_cursor: { how: 'one node', because: 'one row' },
  _prisma_migrations: { how: 'one node', because: 'one row of a migration' },
};

/** What says the slot before the statement is sent. */
export type Source = 'session id' | 'code' | 'token' | 'person';

/**
 * `shard`: everything that it touches of people lies on one shard, which `by` names. `split`: it touches more, and has to be
 * taken apart. `elsewhere`: it touches nobody's rows, or those of nobody in particular.
 */
export type Reach =
  | { to: 'shard'; by: readonly Source[] }
  | { to: 'split'; because: string }
  | { to: 'elsewhere'; because: string };

const shard = (...by: Source[]): Reach => ({ to: 'shard', by });
const split = (because: string): Reach => ({ to: 'split', because });
const elsewhere = (because: string): Reach => ({ to: 'elsewhere', because });

const COUNTED = elsewhere('counters and notes on one node; an audit event without a person lies anywhere');
const OWN_KEY = elsewhere('one row, found by its own key');
const OF_MACHINE = elsewhere(
  'rows of one client in its own name, by its slot; an audit event without a person lies anywhere',
);
const REGISTRY = elsewhere('reference tables');

/** Every prepared statement of lib/store, which is every hot one. */
export const STATEMENTS: Readonly<Record<string, Reach>> = {
  authorize: shard('session id', 'person'),
  'code-redeem': shard('code'),
  'code-refuse': shard('code'),
  'refresh-rotate': shard('token'),
  'refresh-explain': shard('token'),
  'family-revoke': shard('token'),
  'token-live': shard('token'),
  'token-exchange': shard('person'),
  'family-assert': shard('person'),
  'family-vouch': shard('person'),
  'token-exchange-delegation': shard('person'),
  'delegation-find': shard('person'),
  'revoke-refresh': shard('token'),
  'revoke-access': shard('token'),
  'session-label': shard('session id'),
  'session-raise': shard('session id'),
  'session-sign-in': shard('session id'),
  'console-session-find': shard('session id'),
  'consent-grant': shard('session id'),
  'person-claims': shard('person'),
  'credential-upgrade': shard('person'),
  'person-epoch': shard('person'),
  'logout-wanted': shard('person'),
  'logout-drop': shard('person'),
  'logout-give-up': shard('person'),

  'refresh-person': split(
    'asked only of a token from before, which says no slot: all shards, once in the life of a family',
  ),
  'session-create': split(
    'the session and its event lie on one shard; the counters it takes back lie on one node, and the session that it replaces is another person’s where somebody else signs in in the same browser',
  ),
  'family-create': split('the family lies on one shard; the counters it takes back lie on one node'),
  'sessions-end': split('one id for each method, of several people perhaps; each id says its slot'),
  'sessions-describe': split('as sessions-end'),
  'credential-find': split(
    'by e-mail address, and nobody is known yet: a table of addresses and slots, distributed by the address, has to be asked first, and keeps addresses unique',
  ),
  'identity-find-or-create': split(
    'by method and subject, and nobody is known yet: as credential-find; the first sign-in of a person writes there and on their shard',
  ),
  'mail-token-create': split('by e-mail address: as credential-find'),
  'mail-token-find': split(
    'a link in a mail says no slot; it could, since whoever makes it knows the person',
  ),
  'registration-create': split('by e-mail address: as credential-find'),
  'logout-claim': split('background: what is due on every shard'),

  'broker-state-keep': OWN_KEY,
  'broker-state-find': OWN_KEY,
  'broker-state-take': OWN_KEY,
  'form-use': OWN_KEY,
  'form-release': OWN_KEY,
  'assertion-use': OWN_KEY,
  'registration-prove': OWN_KEY,
  'registration-find': OWN_KEY,

  'machine-give': OF_MACHINE,
  'machine-live': OF_MACHINE,
  'machine-revoke': OF_MACHINE,

  'attempt-begin-staged': COUNTED,
  'attempt-refused-why': COUNTED,
  'attempt-take-back': COUNTED,
  'attempt-fail': COUNTED,
  'refusal-first': COUNTED,
  'refusal-count': COUNTED,
  'refusal-elsewhere': COUNTED,
  'refusals-tell': COUNTED,
  'refused-request-again': COUNTED,
  'refused-request-first': COUNTED,

  'client-secret-touch': elsewhere(
    'a reference table, written once a minute for each client and process: on every node',
  ),
  'key-create-first-by': REGISTRY,
  'registry-version': REGISTRY,
  'registry-changes': REGISTRY,
  'registry-shared': REGISTRY,
  ready: REGISTRY,
};
