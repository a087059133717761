// Statements for the checks of passwords, client secrets and assertions.
import { log } from '#lib/kit/log.ts';
import { inBackground, processWide } from '#lib/kit/process.ts';
import { first } from '../prisma.ts';
import { openFromRow, sealForRow } from '../sealed.ts';
import { batchedStatement, type RowOf, statement } from '../statement.ts';
import { LET_IN } from './person-facts.ts';

// Reads facts for password checks and stores their changes.

/** SQL condition: the user `p` is imported and has no console role. */
const IMPORTED = 'p.import_run is not null and cardinality(p.roles) = 0';

const credentialFind = statement({
  name: 'credential-find',
  takes: { name: 'text', authMethodId: 'text' },
  returns: {
    personId: 'uuid',
    personEpoch: 'bigint',
    passwordHash: 'text?',
    disabled: 'boolean',
    /** true: the user has a second factor */
    hasFactor: 'boolean',
    /** true: the next sign-in requires a new password */
    mustChange: 'boolean',
    /** `sub` of the user's tokens; null: user id */
    subject: 'text?',
    /** null: the user signs in by user name */
    email: 'text?',
    /** true: an imported user without a console role, whose password the former service may verify */
    isImported: 'boolean',
    /** true: the method admits this user */
    letIn: 'boolean',
  },
  text: (value) => `select p.id as "personId", p.epoch as "personEpoch", p.password_hash as "passwordHash",
  p.disabled_at is not null as disabled, p.factor_level > 0 as "hasFactor",
  p.must_change_password as "mustChange", p.subject, p.email, ${IMPORTED} as "isImported",
  exists (select from auth_methods m where m.id = ${value.authMethodId} and ${LET_IN}) as "letIn"
from people p where p.email = ${value.name} or p.username = ${value.name}`,
});

export type LocalCredential = RowOf<typeof credentialFind>;

/** Finds a user by lowercase `name`: an email address, or a user name, which contains no @. Null: no such user. */
export async function findLocalCredential(
  name: string,
  authMethodId: string,
): Promise<LocalCredential | null> {
  const [row] = await credentialFind({ name, authMethodId });
  return row ?? null;
}

const credentialUpgrade = statement({
  name: 'credential-upgrade',
  takes: { personId: 'uuid', oldHash: 'text', newHash: 'text' },
  text: (value) =>
    `update people set password_hash = ${value.newHash} where id = ${value.personId} and password_hash = ${value.oldHash}`,
});

/** Replaces a weak password hash by one with current parameters, unless the password was changed in the meantime. */
export async function upgradePasswordHash(personId: string, oldHash: string, newHash: string): Promise<void> {
  await credentialUpgrade({ personId, oldHash, newHash });
}

const credentialAdopt = statement({
  name: 'credential-adopt',
  takes: { personId: 'uuid', personEpoch: 'text', newHash: 'text', authMethodId: 'text' },
  returns: { email: 'text?', locale: 'text?' },
  text: (value) => `
with adopted as (
  update people p set password_hash = ${value.newHash} where p.id = ${value.personId}
    and p.password_hash is null and p.epoch::text = ${value.personEpoch} and p.disabled_at is null and ${IMPORTED}
  returning id, email, locale
), links as (
  delete from mail_tokens where person_id = (select id from adopted)
), noted as (
  insert into audit_events (event, actor, person_id, auth_method_id)
  select 'person.password_set', 'system', id, ${value.authMethodId} from adopted
)
select email, locale from adopted`,
});

/** A user to whom a mail is sent: address and language. */
export type Reached = RowOf<typeof credentialAdopt>;

/**
 * Stores the password of an imported user and revokes mailed links. Does nothing if the user has a password, signed
 * out everywhere or is disabled. The password equals the password at the former service, so `password_changed_at`
 * stays unchanged: a change would revoke imported tokens.
 */
export async function adoptPassword(of: {
  personId: string;
  personEpoch: string;
  newHash: string;
  authMethodId: string;
}): Promise<Reached | null> {
  const [row] = await credentialAdopt(of);
  return row ?? null;
}

const TOUCH_EVERY_MS = 60_000;
const TOUCHED_MAX = 20_000;
const touched = new Map<string, number>();

const clientSecretTouch = statement({
  name: 'client-secret-touch',
  takes: { clientId: 'text', secretHash: 'bytea' },
  text: (
    value,
  ) => `update client_secrets set last_used_at = now() where client_id = ${value.clientId} and secret_hash = ${value.secretHash}
  and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
});

/** Records use of a client secret at most once per minute, without delaying the request. */
export function touchClientSecret(clientId: string, secretHash: Buffer): void {
  const key = `${clientId} ${secretHash.toString('latin1')}`;
  const at = performance.now();
  if (at - (touched.get(key) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
  if (touched.size >= TOUCHED_MAX) touched.clear();
  touched.set(key, at);
  clientSecretTouch({ clientId, secretHash }).catch((error: Error) =>
    log().warn({ reason: error.message }, 'the last use of a secret was not noted'),
  );
}

const personEpoch = statement({
  name: 'person-epoch',
  takes: { personId: 'uuid', epoch: 'text' },
  returns: {},
  text: (value) =>
    `select from people where id = ${value.personId} and epoch::text = ${value.epoch} and disabled_at is null`,
});

/**
 * Returns true if the user's revocation counter (epoch) is unchanged. False: the user's sessions ended since, or the
 * user is deleted or disabled.
 */
export async function hasPersonEpoch(personId: string, epoch: string): Promise<boolean> {
  const rows = await personEpoch({ personId, epoch });
  return rows.length > 0;
}

// Outdated password hashes: their kinds, and the pepper of some kinds.

/**
 * SQL expression of the index people_kept_hash_idx: the name of the hash algorithm with its cost, without salt and
 * key.
 */
const KIND = String.raw`substring(password_hash from '^[$](?:(?:wp|bcrypt-[a-z0-9]+)[$])?(?:2[aby][$]\d+|[a-z0-9-]+[$](?:v=\d+[$])?(?:[a-z0-9]+=\d+,?)+)')`;
/** SQL condition: the password hash is not in the current format. */
export const KEPT = `not starts_with(password_hash, '$argon2id$v=19$m=19456,t=2,p=1$')`;

/** Returns each kind of outdated hash once. Reads only one index entry per kind. */
const keptKinds = statement({
  name: 'kept-hash-kinds',
  takes: {},
  returns: { kind: 'text', id: 'uuid', hash: 'text' },
  text: () => `with recursive kinds as (
  (select ${KIND} as kind from people where ${KEPT} and ${KIND} is not null order by 1 limit 1)
  union all
  select (select ${KIND} from people where ${KEPT} and ${KIND} > kinds.kind order by 1 limit 1)
  from kinds where kinds.kind is not null)
select kinds.kind, one.id, one.hash from kinds,
  lateral (select id, password_hash as hash from people where ${KEPT} and ${KIND} = kinds.kind limit 1) one`,
});

/** Returns one hash per kind, with unsealed pepper. */
export async function keptSamples(): Promise<{ kind: string; hash: string }[]> {
  const rows = await keptKinds({});
  return rows.map(({ kind, id, hash }) => ({ kind, hash: openPepper(id, hash) }));
}

/** Form of a `$bcrypt-pepper$` hash. Its suffix is sealed, so a copy of the database alone does not allow guessing. */
const PEPPER = /^([$]bcrypt-pepper[$].*[$])([\w.-]+)$/;

export function sealPepper(personId: string, hash: string): string {
  const [, before, pepper] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + sealForRow('people', personId, pepper ?? '');
}

/** Returns the hash with its decrypted pepper. If the pepper cannot be decrypted, the hash verifies no password. */
export function openPepper(personId: string, hash: string): string {
  const [, before, sealed = ''] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + (openFromRow('people', personId, sealed) ?? '');
}

// Facts about a user whose password must change before any session starts.

const owedPasswordFacts = statement({
  name: 'owed-password-facts',
  takes: { personId: 'uuid', epoch: 'text', authMethodId: 'text', methodEpoch: 'text', atConsole: 'boolean' },
  returns: {
    email: 'text?',
    /** label of the user on pages */
    label: 'text',
    name: 'text',
    /** language in the user's profile (BCP 47) */
    locale: 'text?',
    /** stored hash, including a sealed pepper */
    passwordHash: 'text',
    hasFactor: 'boolean',
    hasTotp: 'boolean',
    /** number of unused recovery codes */
    recoveryCodes: 'int',
  },
  text: (
    value,
  ) => `select p.email, coalesce(p.email, p.username, nullif(p.name, ''), p.id::text) as label, p.name, p.locale,
  p.password_hash as "passwordHash", p.factor_level > 0 as "hasFactor",
  exists (select 1 from totp_secrets t where t.person_id = p.id) as "hasTotp",
  (select count(*)::int from recovery_codes r where r.person_id = p.id and r.used_at is null) as "recoveryCodes"
from people p where p.id = ${value.personId} and p.epoch::text = ${value.epoch} and p.disabled_at is null
  and p.password_hash is not null and exists (select from auth_methods m
    where m.id = ${value.authMethodId} and m.epoch::text = ${value.methodEpoch} and (${value.atConsole} or ${LET_IN}))`,
});

export type OwedPasswordFacts = RowOf<typeof owedPasswordFacts>;

/** Returns null if the user signed out, is disabled or deleted, or if the method no longer admits the user. */
export async function findOwedPasswordFacts(of: {
  personId: string;
  epoch: string;
  authMethodId: string;
  methodEpoch: string;
  /** the console accepts every account */
  atConsole: boolean;
}): Promise<OwedPasswordFacts | null> {
  return first(owedPasswordFacts(of));
}

// Single use of client assertions (RFC 7523 §3, `jti`) and of the DPoP proofs of confidential clients (RFC 9449 §11.1).
// Only values of an authenticated client are stored. The statement decides which use is first: exactly one of two
// concurrent uses on any connections succeeds.

type Used = { idHash: Buffer; seconds: number };

const usesOf = (insert: `insert into ${'used_assertions' | 'used_proofs'}`, name: string) =>
  batchedStatement({
    name,
    // rows are locked in a fixed order, so concurrent batches cannot deadlock
    takes: { hash: 'bytea', seconds: 'int' },
    returns: { n: 'int', first: 'boolean' },
    text: (items) => `
with item as (
  select n::int, hash, seconds from ${items}
), one as (
  select distinct on (hash) hash, seconds, n from item order by hash, n
), fresh as (
  ${insert} (id_hash, expires_at)
  select hash, now() + make_interval(secs => seconds) from one order by hash
  on conflict do nothing returning id_hash
)
select item.n, exists (
  select from fresh join one on one.hash = fresh.id_hash where one.n = item.n
) as first from item`,
    values: ({ idHash, seconds }: Used) => ({ hash: idHash, seconds }),
  });

const useAssertion = usesOf('insert into used_assertions', 'assertion-use');
const useProof = usesOf('insert into used_proofs', 'proof-use');

/** Marks the assertion as used. Returns false if it was already used. */
export const spendAssertion = async (used: Used): Promise<boolean> => (await useAssertion(used)).first;
export const spendProof = async (used: Used): Promise<boolean> => (await useProof(used)).first;

// Stores the audience of a client's assertions (RFC 7523 §3, `aud`), for the client's page in the console. Only
// verified assertions count, and only a change is written: PostgreSQL compares the values, and each process remembers
// the stored one.

type AssertionAudience = 'issuer' | 'token_endpoint';

const assertionAudience = statement({
  name: 'client-assertion-note',
  takes: { clientId: 'text', audience: 'text' },
  text: (
    value,
  ) => `insert into client_assertions as noted (client_id, audience) values (${value.clientId}, ${value.audience})
  on conflict (client_id) do update set audience = excluded.audience, since = now() where noted.audience <> excluded.audience`,
});

/** Interval for writing an unchanged audience, because another process may have stored another audience meanwhile. */
const NOTE_EVERY_MS = 600_000;
/**
 * Minimum interval for writing a changed audience, because the assertions of a client can alternate between
 * audiences.
 */
const NOTE_CHANGE_EVERY_MS = 60_000;
const NOTED_MAX = 20_000;
type Noted = Map<string, { audience: AssertionAudience; at: number }>;
const slot = processWide<Noted>('assertion-audiences');

/** Writes in the background; no request waits for it. */
export function noteAssertionAudience(clientId: string, audience: AssertionAudience): void {
  slot.value ??= new Map();
  const noted = slot.value;
  const at = performance.now();
  const last = noted.get(clientId);
  if (last && at - last.at < (last.audience === audience ? NOTE_EVERY_MS : NOTE_CHANGE_EVERY_MS)) return;
  if (noted.size >= NOTED_MAX) noted.clear();
  noted.set(clientId, { audience, at });
  const written = assertionAudience({ clientId, audience }).catch((error: Error) => {
    noted.delete(clientId);
    log().warn({ reason: error.message }, 'the audience of an assertion was not noted');
  });
  inBackground(written.then(() => {}));
}
