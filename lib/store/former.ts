// Refresh tokens and public keys of former issuers.
import { type Db, readRows } from './prisma.ts';
import { sql } from './sql.ts';
import { narrowTo, type RowOf, statement } from './statement.ts';

// Refresh tokens of another service, each redeemed once: of many concurrent callers, exactly one receives the row.
// Callers pass hashes, never tokens.

type FormerToken = {
  /** SHA-256 of the token */
  tokenHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
};

const BINDING = { tokenHash: 'bytea', clientId: 'text', apiId: 'text', authMethodId: 'text' } as const;

const spendToken = statement({
  name: 'former-token-spend',
  takes: BINDING,
  returns: {
    personId: 'uuid',
    /** the user's current revocation counter (epoch) */
    personEpoch: 'text',
    scopes: 'text[]',
    authTime: 'timestamptz?',
    usedAt: 'text',
  },
  text: (value) => `
update former_tokens f set used_at = now() from people p
where f.token_hash = ${value.tokenHash} and f.client_id = ${value.clientId} and f.api_id = ${value.apiId}
  and f.auth_method_id = ${value.authMethodId} and f.used_at is null and f.expires_at > now()
  and p.id = f.person_id and p.epoch = f.person_epoch and p.disabled_at is null
returning f.person_id as "personId", p.epoch::text as "personEpoch", f.scopes, f.auth_time as "authTime",
  f.used_at::text as "usedAt"`,
});

/** User and grants of an imported token. */
type SpentToken = RowOf<typeof spendToken>;

/** Consumes an imported token. Returns null if it is unknown, used or expired. */
export async function spendFormerToken(token: FormerToken): Promise<SpentToken | null> {
  const [row] = await spendToken(token);
  return row ?? null;
}

const restoreToken = statement({
  name: 'former-token-restore',
  takes: { tokenHash: 'bytea', usedAt: 'text' },
  text: (value) => `update former_tokens set used_at = null
    where token_hash = ${value.tokenHash} and used_at = ${value.usedAt}::timestamptz and person_id is not null`,
});

/** Undoes the use of an imported token after a failed exchange. A revocation in the meantime persists. */
export async function restoreFormerToken(
  { tokenHash }: Pick<FormerToken, 'tokenHash'>,
  { usedAt }: Pick<SpentToken, 'usedAt'>,
): Promise<void> {
  await restoreToken({ tokenHash, usedAt });
}

const markToken = statement({
  name: 'former-token-mark',
  takes: { ...BINDING, seconds: 'int' },
  returns: { marked: 'boolean' },
  text: (value) => `
insert into former_tokens (token_hash, client_id, api_id, auth_method_id, expires_at, used_at)
values (${value.tokenHash}, ${value.clientId}, ${value.apiId}, ${value.authMethodId},
  now() + make_interval(secs => ${value.seconds}), now())
on conflict do nothing returning true as marked`,
});

/**
 * Records that the former service is queried about this token. Returns false if that is already recorded. `seconds`:
 * lifetime of the record.
 */
export async function markAsked(token: FormerToken & { seconds: number }): Promise<boolean> {
  return (await markToken(token)).length > 0;
}

const forgetToken = statement({
  name: 'former-token-forget',
  takes: { tokenHash: 'bytea' },
  text: (value) => `delete from former_tokens where token_hash = ${value.tokenHash} and person_id is null`,
});

/** Deletes the record, because the former service rejected the token or did not answer. */
export async function forgetAsked({ tokenHash }: Pick<FormerToken, 'tokenHash'>): Promise<void> {
  await forgetToken({ tokenHash });
}

const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

type BroughtToken = {
  /** SHA-256 of the token in hexadecimal */
  sha256: string;
  client_id: string;
  api: string;
  auth_method: string;
  /** `sub` that the user's tokens contain */
  subject: string;
  scopes: readonly string[];
  auth_time: Date | null;
  expires_at: Date;
};

/**
 * Imports the tokens and returns the outcome of each. `there`: already imported. `nobody`: no user has the subject.
 * `dry`: writes nothing.
 */
export async function insertFormerTokens(
  db: Db,
  tokens: readonly BroughtToken[],
  dry: boolean,
): Promise<('made' | 'there' | 'nobody')[]> {
  if (tokens.length === 0) return [];
  const tokenRows = sql`jsonb_to_recordset(${JSON.stringify(tokens.map((token, n) => ({ ...token, n })))}::jsonb)
    as given (n int, sha256 text, client_id text, api text, auth_method text, subject text, scopes text[],
      auth_time timestamptz, expires_at timestamptz)`;
  // two joins, because each of them can use its own index
  const person = sql`left join people named on named.subject = given.subject
    left join people p on p.id = coalesce(named.id, case when given.subject ~ ${UUID} then given.subject::uuid end)
      and (p.subject is null or p.subject = given.subject)`;
  const rows = await readRows(db, { n: 'int', became: narrowTo<'made' | 'there' | 'nobody'>('text') })`
    select n, case when p.id is null then 'nobody' when f.token_hash is not null
      or n > min(n) over (partition by given.sha256)
      then 'there' else 'made' end as became
    from ${tokenRows} ${person} left join former_tokens f on f.token_hash = decode(given.sha256, 'hex') order by n`;
  if (!dry)
    await db.$executeRaw(sql`
      insert into former_tokens (token_hash, client_id, api_id, auth_method_id, person_id, person_epoch, scopes, auth_time,
        expires_at)
      select decode(given.sha256, 'hex'), given.client_id, given.api, given.auth_method, p.id, p.epoch, given.scopes,
        given.auth_time, least(given.expires_at, now() + interval '1 year')
      from ${tokenRows} ${person} where p.id is not null order by n on conflict do nothing`);
  return rows.map(({ became }) => became);
}

// Public keys of former issuers, as last fetched from their address. The stored keys remain available after the former
// service has shut down.

const readKeys = statement({
  name: 'former-keys',
  takes: { address: 'text' },
  returns: { keys: 'jsonb' },
  text: (value) => `select keys from former_key_sets where address = ${value.address}`,
});

/** JWK list, validated when stored; null: unknown address. */
export async function readFormerKeys(address: string): Promise<unknown> {
  const [row] = await readKeys({ address });
  return row?.keys ?? null;
}

const keepKeys = statement({
  name: 'former-keys-keep',
  takes: { address: 'text', keys: 'text' },
  text: (value) => `
insert into former_key_sets as f (address, keys) values (${value.address}, ${value.keys}::jsonb)
on conflict (address) do update set keys = excluded.keys, read_at = now() where f.keys <> excluded.keys`,
});

export async function keepFormerKeys(address: string, keys: readonly object[]): Promise<void> {
  await keepKeys({ address, keys: JSON.stringify(keys) });
}
