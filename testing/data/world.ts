// Test-specific users, clients and APIs in a database with fixtures.
import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '#lib/catalogue/people/definition.ts';
import { type Client, fixturePerson } from './fixtures.ts';
import type { Sql } from './sql.ts';

export type Person = { id: string; email: string; name: string; password: string };

export const sha256 = (value: string) => createHash('sha256').update(value).digest();

const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;

type ClientKind = {
  /** default: confidential */
  kind?: 'confidential' | 'browser' | 'native';
  redirectUris?: string[];
  name?: string;
  trusted?: boolean;
  machine?: boolean;
  apis?: string[];
  scopes?: string[];
  state?: string;
  secret?: string;
  postLogoutRedirectUris?: string[];
  backchannelLogoutUri?: string;
  /** the client receives only DPoP-bound tokens */
  dpop?: boolean;
};

/** `like`: user of the service's configuration; test users share this user's password. */
export function worldOn(sql: Sql, like = fixturePerson('alice')) {
  return {
    /** Creates a user with these roles; password of `like`. */
    async makePerson(...roles: Role[]): Promise<Person> {
      const { email, password } = like;
      const id = unique('person');
      const person = { email: `${id}@example.com`, name: `Test ${id}` };
      const [row] = await sql<{ id: string }>(
        `insert into people (email, name, password_hash, roles)
         select $1, $2, password_hash, $3 from people where email = $4 and password_hash is not null
         returning id`,
        [person.email, person.name, roles, email],
      );
      if (!row) throw new Error(`${email} is not in the database`);
      return { id: row.id, ...person, password };
    },

    /** Creates a client with subscriptions to `apis`. */
    async makeClient(options: ClientKind = {}): Promise<Client> {
      const {
        kind = 'confidential',
        trusted = false,
        machine = false,
        apis = ['orders'],
        scopes = [],
        state = 'approved',
        dpop = false,
      } = options;
      const clientId = unique(kind);
      const redirectUris = options.redirectUris ?? [`https://${clientId}.example/cb`];
      const type = kind === 'confidential' ? 'web' : kind;
      const { name = `Test ${kind}`, postLogoutRedirectUris = [], backchannelLogoutUri = null } = options;
      const signOut = [postLogoutRedirectUris, backchannelLogoutUri];
      await sql(
        `insert into clients (client_id, name, confidential, application_type, redirect_uris,
           post_logout_redirect_uris, backchannel_logout_uri, dpop_bound_access_tokens)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [clientId, name, kind === 'confidential', type, redirectUris, ...signOut, dpop],
      );
      await sql(
        `insert into subscriptions (client_id, api_id, state, trusted, scopes, machine)
         select $1, unnest($2::text[]), $3, $4, $5, $6`,
        [clientId, apis, state, trusted, scopes, machine],
      );
      const redirectUri = redirectUris[0] ?? '';
      if (kind !== 'confidential') return { clientId, redirectUri };
      const secret = options.secret ?? randomBytes(24).toString('base64url');
      const hash = sha256(secret);
      await sql('insert into client_secrets (client_id, secret_hash) values ($1, $2)', [clientId, hash]);
      return { clientId, secret, redirectUri };
    },

    /** Creates a copy of the API orders. `changes`: columns of its row that differ. */
    async makeApi(changes: Record<string, string | number | boolean> = {}): Promise<{ id: string }> {
      const id = unique('api');
      const columns = Object.entries(changes).map(([name, value]) => `${name} = '${value}'`);
      await sql(
        `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
           refresh_family_ttl)
         select $1, name, 'https://api.example/' || $1, access_token_ttl, access_token_format, signing_alg,
           refresh_token_ttl, refresh_family_ttl
         from apis where id = 'orders'`,
        [id],
      );
      await sql(
        `insert into api_scopes (api_id, name, description)
         select $1, name, description from api_scopes where api_id = 'orders'`,
        [id],
      );
      await sql("insert into combinations (auth_method_id, api_id) values ('pw', $1)", [id]);
      if (columns.length > 0) await sql(`update apis set ${columns.join(', ')} where id = $1`, [id]);
      return { id };
    },
  };
}
