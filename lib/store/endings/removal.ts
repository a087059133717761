// Taking an object out, with what rests on it, so that another of the same id inherits nothing.

import { type Db, sql } from '../database/index.ts';
import { endTokens } from './endings.ts';

export async function removeFromRegistry(
  db: Db,
  table: 'clients' | 'apis' | 'auth_methods',
  id: string,
): Promise<void> {
  const of = { clients: { clientId: id }, apis: { apiId: id }, auth_methods: { authMethodId: id } };
  await db.orm(async (prisma) => {
    if (table === 'clients') {
      await prisma.consent.deleteMany({ where: { clientId: id } });
      await prisma.client.deleteMany({ where: { clientId: id } });
    } else if (table === 'apis') {
      await prisma.consent.deleteMany({ where: { apiId: id } });
      await prisma.api.deleteMany({ where: { id } });
    } else {
      await prisma.externalIdentity.deleteMany({ where: { authMethodId: id } });
      await prisma.session.deleteMany({ where: { authMethodId: id } });
      await prisma.authMethod.deleteMany({ where: { id } });
    }
  });
  if (table === 'auth_methods')
    await db.query(
      sql`update apis set issuer_hosts = nullif(issuer_hosts - ${id}, '{}') where issuer_hosts ? ${id}`,
    );
  await endTokens(db, of[table], `${table} entry removed`);
  if (table === 'apis') await db.query(sql`delete from logout_deliveries where api_id = ${id}`);
}
