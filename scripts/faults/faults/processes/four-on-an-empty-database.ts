import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { applyConfiguration } from '#lib/config/apply.ts';
import { FIXTURES } from '#testing/data/fixtures.ts';
import { asSettings, type Fault } from '../../support/context.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

export const fourOnAnEmptyDatabase: Fault = {
  name: 'four-on-an-empty-database',
  title: 'four instances starting at once on an empty database',
  async run(context) {
    const empty = `${context.database}_empty`;
    await context.postgres.createDatabase(empty);
    const databaseUrl = context.postgres.urlOf(empty, 'owner');
    const instances = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => context.instance(name, { databaseUrl })),
    );
    const source = readFileSync(FIXTURES, 'utf8');
    await asSettings(databaseUrl, context.secret, () => applyConfiguration(source, { env: {} }));
    const clients = instances.map((instance) => context.client(instance));
    // each instance issues a first token, which needs the first signing key
    const sessions = await Promise.all(
      clients.map((client) => client.signIn('alice@example.com', 'alice-password-1')),
    );
    const broken = sessions.every(Boolean) ? [] : ['an instance gave no token'];
    const facts = await context.postgres.asOwner(async (client) => {
      const { rows } = await client.query(
        `select (select count(*)::int from _prisma_migrations) as migrations,
           (select count(*)::int from directory_version) as versions,
           (select count(*)::int from signing_keys where alg = 'ES256') as keys`,
      );
      return rows[0] as { migrations: number; versions: number; keys: number };
    }, empty);
    const migrations = readdirSync(path.join(ROOT, 'prisma/migrations'), { withFileTypes: true });
    const wanted = {
      migrations: migrations.filter((entry) => entry.isDirectory()).length,
      versions: 1,
      keys: 1,
    };
    if (JSON.stringify(facts) !== JSON.stringify(wanted)) broken.push(`there is ${JSON.stringify(facts)}`);
    // instances must accept each other's tokens
    for (const [index, tokens] of sessions.entries()) {
      const next = tokens && (await clients[(index + 1) % 4]?.refresh(tokens));
      if (!next) broken.push('a token of one instance is not known to another');
    }
    // the recorded requests belong to a different database
    context.ledger.forget();
    return { broken, notes: 'one schema, one signing key' };
  },
};
