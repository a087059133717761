// node-oidc-provider on PostgreSQL: its documented shape of an adapter, prepared statements, the same pool, ES256 JWT
// access tokens for one resource, refresh tokens rotated at each use.
import { exportJWK, generateKeyPair } from 'jose';
// @ts-expect-error: the package brings no types
import { Provider } from 'oidc-provider';
import pg from 'pg';
import { API_URL, CLIENT, CLIENT_SECRET, REDIRECT_URI, SCOPES } from './values.ts';

const port = Number(process.env['PORT']);
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

type AdapterPayload = Record<string, unknown>;
type Row = { payload: AdapterPayload; consumed_at: Date | null };

class PostgresAdapter {
  readonly #type: string;
  constructor(type: string) {
    this.#type = type;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await pool.query({
      name: 'upsert',
      text: `insert into provider_payloads (type, id, payload, grant_id, user_code, uid, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
on conflict (type, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
  user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
      values: [
        this.#type,
        id,
        payload,
        payload['grantId'] ?? null,
        payload['userCode'] ?? null,
        payload['uid'] ?? null,
        expiresIn,
      ],
    });
  }

  async #one(name: string, column: 'id' | 'uid' | 'user_code', value: string) {
    const { rows } = await pool.query<Row>({
      name,
      text: `select payload, consumed_at from provider_payloads
where type = $1 and ${column} = $2 and (expires_at is null or expires_at > now())`,
      values: [this.#type, value],
    });
    const [row] = rows;
    return row && { ...row.payload, ...(row.consumed_at ? { consumed: true } : {}) };
  }

  find(id: string) {
    return this.#one('find', 'id', id);
  }
  findByUid(uid: string) {
    return this.#one('find-uid', 'uid', uid);
  }
  findByUserCode(userCode: string) {
    return this.#one('find-user-code', 'user_code', userCode);
  }

  async consume(id: string): Promise<void> {
    await pool.query({
      name: 'consume',
      text: 'update provider_payloads set consumed_at = now() where type = $1 and id = $2',
      values: [this.#type, id],
    });
  }

  async destroy(id: string): Promise<void> {
    await pool.query({
      name: 'destroy',
      text: 'delete from provider_payloads where type = $1 and id = $2',
      values: [this.#type, id],
    });
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await pool.query({
      name: 'revoke',
      text: 'delete from provider_payloads where grant_id = $1',
      values: [grantId],
    });
  }
}

const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const provider = new Provider(`http://localhost:${port}`, {
  adapter: PostgresAdapter,
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'provider' }] },
  clients: [
    {
      client_id: CLIENT,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['openid', 'offline_access'],
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  pkce: { required: () => false },
  ttl: {
    AccessToken: 3600,
    RefreshToken: 30 * 86_400,
    Grant: 90 * 86_400,
    IdToken: 3600,
    ClientCredentials: 3600,
    AuthorizationCode: 60,
  },
  findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API_URL,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: SCOPES.join(' '),
        audience: API_URL,
        accessTokenTTL: 3600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
provider.listen(port, '127.0.0.1');
