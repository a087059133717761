// Refresh tokens of another service, each good once: of many callers at once exactly one gets the row. Callers pass
// hashes, never tokens.
import { statement } from '../database/index.ts';

export type FormerToken = {
  /** SHA-256 of the token */
  tokenHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
};

/** Whose it was, and what it gave there. */
export type SpentToken = { personId: string; scopes: string[]; authTime: Date | null };

const BINDING = { tokenHash: 'bytea', clientId: 'text', apiId: 'text', authMethodId: 'text' } as const;

const spend = statement({
  name: 'former-token-spend',
  takes: BINDING,
  text: (value) => `
update former_tokens f set used_at = now() from people p
where f.token_hash = ${value.tokenHash} and f.client_id = ${value.clientId} and f.api_id = ${value.apiId}
  and f.auth_method_id = ${value.authMethodId} and f.used_at is null and f.expires_at > now()
  and p.id = f.person_id and p.epoch = f.person_epoch and p.disabled_at is null
returning f.person_id as "personId", f.scopes, f.auth_time as "authTime"`,
});

/** Uses one up that an import brought; null: there is none, or it is used, or has ended. */
export async function spendFormerToken(token: FormerToken): Promise<SpentToken | null> {
  const [row] = await spend<SpentToken>(token);
  return row ?? null;
}

const mark = statement({
  name: 'former-token-mark',
  takes: { ...BINDING, seconds: 'int' },
  text: (value) => `
insert into former_tokens (token_hash, client_id, api_id, auth_method_id, expires_at, used_at)
values (${value.tokenHash}, ${value.clientId}, ${value.apiId}, ${value.authMethodId},
  now() + make_interval(secs => ${value.seconds}), now())
on conflict do nothing returning true as marked`,
});

/** Notes that its service is asked about it; false: it is known already. `seconds`: how long that is kept. */
export async function markAsked(token: FormerToken & { seconds: number }): Promise<boolean> {
  return (await mark<{ marked: boolean }>(token)).length > 0;
}

const forget = statement({
  name: 'former-token-forget',
  takes: { tokenHash: 'bytea' },
  text: (value) => `delete from former_tokens where token_hash = ${value.tokenHash} and person_id is null`,
});

/** Takes that note back: its service did not take the token, or did not answer. */
export async function forgetAsked({ tokenHash }: Pick<FormerToken, 'tokenHash'>): Promise<void> {
  await forget({ tokenHash });
}
