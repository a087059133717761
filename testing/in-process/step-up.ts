// For step-up tests: creates factors and authentication classes of sessions as database rows, and requests codes as a
// browser.
import { decodeJwt } from 'jose';
import { type Interaction, openInteraction } from '#lib/oauth/authorize/interaction.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '../data/registry.ts';
import { ask, cookieOf, jsonOf, locationOf, withCookies } from './in-process.ts';
import { OPENID_PATH } from './openid.ts';

export const ACR = (name: 'password' | 'mfa' | 'phishing-resistant') => `urn:gatehouse:acr:${name}`;
export const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

/** Adds an authenticator app or a passkey that proves nothing. */
export async function giveFactor(personId: string, factor: 'totp' | 'passkey' = 'totp'): Promise<void> {
  if (factor === 'totp')
    await sql(
      `insert into totp_secrets (person_id, sealed_secret, last_step) values ($1, 'x', 0) on conflict do nothing`,
      [personId],
    );
  else
    await sql(
      `insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
       values (sha256(gen_random_uuid()::text::bytea), $1, 'localhost', '', false, false, 'Key')`,
      [personId],
    );
}

export async function takeFactors(personId: string): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys'])
    await sql(`delete from ${table} where person_id = $1`, [personId]);
}

/** Raises the authentication class of this browser's session. */
export async function raise(cookie: string, level: 2 | 3, method = 'pw'): Promise<void> {
  const amr = { 2: '{pwd,otp,mfa}', 3: '{hwk,user,mfa}' }[level];
  await sql('update sessions set acr_level = $2, amr = $3 where id_hash = $1', [
    await readSessionHash(cookie, method),
    level,
    amr,
  ]);
}

/** Sets requirements of an API or scope; null removes them. */
export async function require(
  what: { api?: string; scope?: string },
  set: { required_acr?: string | null; second_factor?: string | null },
): Promise<void> {
  const { api = 'orders', scope } = what;
  for (const [column, value] of Object.entries(set)) {
    if (scope)
      await sql(`update api_scopes set ${column} = $1 where api_id = $2 and name = $3`, [value, api, scope]);
    else await sql(`update apis set ${column} = $1 where id = $2`, [value, api]);
  }
  await currentSnapshot();
}

export type Went = {
  /** page name, `code`, or error */
  to: string;
  code: string;
  /** the interaction of a Gatehouse page */
  interaction: Interaction | null;
  cookie: string;
  location: string;
};

/** Returns the page or redirect to which an authorization request of `tru` leads this browser. */
export async function authorizeAs(cookie: string, over: Record<string, string> = {}): Promise<Went> {
  const asked = { client_id: 'tru', response_type: 'code', redirect_uri: 'https://tru.example/cb', ...over };
  return wentFrom(cookie, `${OPENID_PATH}/authorize?${new URLSearchParams(asked)}`);
}

export async function wentFrom(cookie: string, target: string): Promise<Went> {
  const answer = await ask(target, { headers: { cookie } });
  const location = new URL(locationOf(answer));
  const all = withCookies(cookie, cookieOf(answer));
  const { pathname, searchParams } = location;
  const opened = openInteraction(searchParams.get('interaction') ?? undefined, readBrowser(all));
  const to = searchParams.get('error') ?? (searchParams.has('code') ? 'code' : pathname.slice(1));
  const code = searchParams.get('code') ?? '';
  return {
    to,
    code,
    interaction: opened === 'expired' ? null : opened,
    cookie: all,
    location: location.href,
  };
}

export const tokenFor = async (form: Record<string, string>, path = OPENID_PATH) => {
  const answer = await ask(`${path}/token`, { form: { ...TRU, ...form } });
  return { ...jsonOf(answer), status: answer.status } as Record<string, string> & { status: number };
};

/** Redeems a code of `tru` and returns the tokens. */
export async function tokensAs(cookie: string, over: Record<string, string> = {}) {
  const { to, code } = await authorizeAs(cookie, over);
  if (to !== 'code') throw new Error(to);
  return tokenFor({ grant_type: 'authorization_code', code });
}

export const claimsOf = (token: string | undefined) => decodeJwt(token ?? '');

export async function introspected(
  token: string | undefined,
  api = 'orders',
): Promise<Record<string, unknown>> {
  const secret = Buffer.from(`${api}:fixture-${api}-introspection-secret`).toString('base64');
  return jsonOf(
    await ask(`/auth/pw/api/${api}/introspect`, {
      form: { token: token ?? '' },
      headers: { authorization: `Basic ${secret}` },
    }),
  );
}
