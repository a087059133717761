// Taking an object out, with what rests on it, so that another of the same id inherits nothing.

import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';
import { dropRulesOf } from '../groups/groups.ts';
import { dropFormerTokens, endTokens } from './endings.ts';

export async function removeFromRegistry(
  db: Db,
  table: 'clients' | 'apis' | 'auth_methods',
  id: string,
): Promise<void> {
  const of = { clients: { clientId: id }, apis: { apiId: id }, auth_methods: { authMethodId: id } };
  if (table === 'clients') {
    await db.consent.deleteMany({ where: { clientId: id } });
    await db.client.deleteMany({ where: { clientId: id } });
  } else if (table === 'apis') {
    await db.consent.deleteMany({ where: { apiId: id } });
    await db.api.deleteMany({ where: { id } });
  } else {
    await dropRulesOf(db, id);
    await db.externalIdentity.deleteMany({ where: { authMethodId: id } });
    await db.session.deleteMany({ where: { authMethodId: id } });
    await db.authMethod.deleteMany({ where: { id } });
    await db.recheck.deleteMany({ where: { authMethodId: id } });
    await db.$executeRaw(
      sql`update apis set issuer_hosts = nullif(issuer_hosts - ${id}, '{}') where issuer_hosts ? ${id}`,
    );
    await db.$executeRaw(
      sql`update apis set former_issuers = (select jsonb_agg(one order by n)
          from jsonb_array_elements(former_issuers) with ordinality as former (one, n) where one ->> 'auth_method' <> ${id})
        where former_issuers @> ${JSON.stringify([{ auth_method: id }])}::jsonb`,
    );
  }
  await endTokens(db, of[table], `${table} entry removed`);
  await dropFormerTokens(db, of[table]);
  if (table === 'apis') await db.logoutDelivery.deleteMany({ where: { apiId: id } });
}
