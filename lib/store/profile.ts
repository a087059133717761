// What a person sees of their own record.
import type { Role } from '#lib/registry/index.ts';
import type { Db } from './transaction.ts';

export type ProfileRow = {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  hasPassword: boolean;
  passwordChangedAt: Date | null;
  roles: Role[];
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
