// What a person sees and changes of their own: profile, consents, sign-ins.
import { endTokens } from './endings.ts';
import { type Db, ownConnection } from './registry-db.ts';

export type ProfileRow = {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  hasPassword: boolean;
  passwordChangedAt: Date | null;
  roles: string[];
  createdAt: Date;
  version: number;
  identities: { authMethodId: string; methodName: string; email: string | null; lastSeenAt: string }[];
};

export async function findProfile(db: Db, personId: string): Promise<ProfileRow | null> {
  const [row] = await db.query<ProfileRow>({
    text: `select id, email, email_verified_at is not null as "emailVerified", name,
        password_hash is not null as "hasPassword", password_changed_at as "passwordChangedAt", roles,
        created_at as "createdAt", version,
        coalesce((select json_agg(json_build_object('authMethodId', i.auth_method_id,
            'methodName', coalesce(m.name, i.auth_method_id), 'email', i.email, 'lastSeenAt', i.last_seen_at)
            order by i.created_at)
          from external_identities i left join auth_methods m on m.id = i.auth_method_id
          where i.person_id = people.id), '[]') as identities
      from people where id = $1`,
    values: [personId],
  });
  return row ?? null;
}

export type ConsentRow = {
  id: string;
  clientId: string;
  clientName: string;
  logoUri: string | null;
  api: string;
  apiName: string;
  scopes: { name: string; description: string }[];
  grantedAt: Date;
  /** when a token that rests on it was last given or renewed */
  lastUsedAt: Date | null;
};

const CONSENT_COLUMNS = `co.id, co.client_id as "clientId", coalesce(c.name, co.client_id) as "clientName",
  c.logo_uri as "logoUri", co.api_id as api, coalesce(a.name, co.api_id) as "apiName", co.granted_at as "grantedAt",
  coalesce((select json_agg(json_build_object('name', x, 'description', coalesce(s.description, x)) order by s.position, x)
    from unnest(co.scopes) as x left join api_scopes s on s.api_id = co.api_id and s.name = x), '[]') as scopes,
  (select max(coalesce((select max(r.issued_at) from refresh_tokens r where r.family_id = f.id), f.created_at))
    from token_families f where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id)
    as "lastUsedAt"`;

export async function selectConsents(db: Db, personId: string): Promise<ConsentRow[]> {
  return db.query<ConsentRow>({
    text: `select ${CONSENT_COLUMNS} from consents co left join clients c using (client_id)
      left join apis a on a.id = co.api_id where co.person_id = $1 order by co.granted_at desc, co.id`,
    values: [personId],
  });
}

/** Takes a consent back with every code and token that rests on one: their next use fails. */
export async function deleteConsent(
  db: Db,
  personId: string,
  id: string,
): Promise<{ clientId: string; api: string } | null> {
  const [gone] = await db.query<{ clientId: string; api: string }>({
    text: `delete from consents where id = $1 and person_id = $2 returning client_id as "clientId", api_id as api`,
    values: [id, personId],
  });
  if (!gone) return null;
  const of = { personId, clientId: gone.clientId, apiId: gone.api, basis: 'consent' } as const;
  await endTokens(db, of, 'consent withdrawn');
  return gone;
}

export type SignInRow = {
  id: string;
  at: Date;
  kind: 'sign-in' | 'console' | 'password-grant';
  authMethodId: string | null;
  methodName: string | null;
  clientId: string | null;
  ip: string | null;
  key: string;
};

/** Where and how somebody signed in as this person, the newest first: from the audit log. */
export async function selectSignIns(asked: {
  personId: string;
  after: [time: string, id: string] | null;
  limit: number;
}): Promise<SignInRow[]> {
  return ownConnection.query<SignInRow>({
    text: `select e.id::text as id, e.at, e.auth_method_id as "authMethodId", m.name as "methodName",
        e.client_id as "clientId", e.ip, e.at::text as key,
        case when e.event = 'token.issued' then 'password-grant' else coalesce(e.details ->> 'kind', 'sign-in') end as kind
      from audit_events e left join auth_methods m on m.id = e.auth_method_id
      where e.person_id = $1 and (e.event = 'sign_in.succeeded'
          or (e.event = 'token.issued' and e.details ->> 'grant_type' = 'password'))
        and ($2::timestamptz is null or (e.at, e.id) < ($2::timestamptz, $3::bigint))
      order by e.at desc, e.id desc limit $4`,
    values: [asked.personId, asked.after?.[0] ?? null, asked.after?.[1] ?? null, asked.limit],
  });
}
