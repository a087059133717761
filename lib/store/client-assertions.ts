// Which audience the assertions of a client name, as the token endpoint notes it (hot/client-assertions.ts).
import type { Db } from './prisma.ts';
import { sql } from './sql.ts';

/** `since`: when it last changed. */
export type ClientAssertion = { audience: 'issuer' | 'token_endpoint'; since: Date };

/** Null: no assertion of the client was accepted. */
export async function selectClientAssertion(db: Db, clientId: string): Promise<ClientAssertion | null> {
  const [row] = await db.$queryRaw<ClientAssertion[]>(
    sql`select audience, since from client_assertions where client_id = ${clientId}`,
  );
  return row ?? null;
}
