// Combines each kind of granted permission with each event that ends permissions, and with each change of identity.
// Rows and operations are real (testing/allowed/allowed.ts).
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  ENDINGS,
  type EndingName,
  type Fate,
  FORMS,
  type Form,
  OTHER_OPERATIONS,
  OTHER_TABLES,
} from '#testing/allowed/allowed.ts';
import { ACTS } from '#testing/allowed/allowed-acts.ts';
import { givenWorld, PROBES, type World } from '#testing/allowed/allowed-world.ts';
import { OPERATION_NAMES } from '#testing/code/operations.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';

beforeAll(givenFixtures);

test('every table with person or client ids is listed as a form of access, or as an exception', async () => {
  const rows = await sql<{ name: string }>(
    `select distinct c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = current_schema() and c.column_name in ('person_id', 'client_id') and t.table_type = 'BASE TABLE'
        and not exists (select from pg_inherits i where i.inhrelid = to_regclass(quote_ident(c.table_name)))`,
  );
  const known = [...Object.values(FORMS), ...OTHER_TABLES];
  expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
});

test('every operation that removes or changes something is listed in ENDINGS, or as an exception', () => {
  const endings = Object.values(ENDINGS).flatMap(({ by }) => by as readonly string[]);
  const taking =
    /^(change|end|delete|disable|revoke|remove|reset|forget|withdraw|reject|drop|invalidate|cancel|decide|set)[A-Z]/;
  const unknown = OPERATION_NAMES.filter(
    (name) => taking.test(name) && !endings.includes(name) && !OTHER_OPERATIONS.includes(name),
  );
  expect(unknown).toEqual([]);
});

const forms = Object.keys(FORMS) as Form[];
const counting = async (world: World) => {
  await currentSnapshot();
  const counts: [Form, boolean][] = [];
  for (const form of forms) counts.push([form, await PROBES[form](world)]);
  return Object.fromEntries(counts) as Record<Form, boolean>;
};

describe('which forms of access an operation ends, and its audit event', () => {
  test.each(Object.keys(ENDINGS) as EndingName[])(
    'this operation ends exactly the listed forms of access, and writes its audit event: %s',
    async (ending) => {
      const world = await givenWorld(randomBytes(4).toString('hex'));
      expect(Object.entries(await counting(world)).filter(([, counts]) => !counts)).toEqual([]);
      const { end, undo } = ACTS[ending];
      const [last] = await sql<{ id: string }>('select max(id)::text as id from audit_events');
      await end(world);
      const events = await sql<{ event: string }>('select event from audit_events where id > $1', [last?.id]);
      expect(events.map(({ event }) => event)).toContain(ENDINGS[ending].event);
      const after = await counting(world);
      await undo?.(world);
      const undone = undo ? await counting(world) : after;
      const fateOf = (form: Form): Fate => (after[form] ? 'stays' : undone[form] ? 'held' : 'ends');
      expect(Object.fromEntries(forms.map((form) => [form, fateOf(form)]))).toEqual(ENDINGS[ending].fates);
    },
  );
});
