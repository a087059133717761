// What the configuration file owns.
import type { Db } from './transaction.ts';

/**
 * What the file names is the file's from here on, in the file's order: one statement for each table, however long the
 * file.
 */
export async function markManaged(
  db: Db,
  named: {
    methods: string[];
    apis: string[];
    clients: string[];
    emails: string[];
    subscriptions: [string, string][];
  },
): Promise<void> {
  for (const [table, ids] of [
    ['auth_methods', named.methods],
    ['apis', named.apis],
  ] as const) {
    await db.query({
      text: `update ${table} t set managed = true, position = o.position::int - 1
        from unnest($1::text[]) with ordinality as o (id, position)
        where t.id = o.id and (not t.managed or t.position <> o.position::int - 1)`,
      values: [ids],
    });
  }
  await db.query({
    text: 'update clients set managed = true where client_id = any ($1) and not managed',
    values: [named.clients],
  });
  await db.query({
    text: 'update people set managed = true where email = any ($1) and not managed',
    values: [named.emails],
  });
  await db.query({
    text: `update subscriptions s set managed = true from unnest($1::text[], $2::text[]) as o (client_id, api_id)
      where s.client_id = o.client_id and s.api_id = o.api_id and not s.managed`,
    values: [named.subscriptions.map(([client]) => client), named.subscriptions.map(([, api]) => api)],
  });
}
