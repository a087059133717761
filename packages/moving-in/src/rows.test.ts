// wicked with its data in PostgreSQL: rows in the format that `psql -At -c 'select row_to_json(t) from wicked.users
// t'` prints.
import { expect, it } from 'vitest';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { CHOICES, KEYS, WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert } from './import-files.ts';

type Files = Record<string, unknown>;

async function imported(files: Files) {
  const lines: string[] = [];
  const sources = Object.entries(files).map(([name, value]) =>
    sourceFile(name, typeof value === 'string' ? value : JSON.stringify(value), 200),
  );
  const from = {
    source: 'wicked' as const,
    files: sources,
    choices: new Map(Object.entries(CHOICES)),
    env: KEYS,
  };
  const { registry, report } = await convert(from, async (line) => void lines.push(line));
  return { registry, report, people: lines.map((line) => JSON.parse(line)) };
}

const isData = (name: string) => name.startsWith('dynamic/') && !name.includes('_index');
const STATIC: Files = Object.fromEntries(
  Object.entries(WICKED).filter(([name]) => !name.startsWith('dynamic/')),
);
const dataOf = (kind: string) =>
  Object.entries(WICKED)
    .filter(([name]) => isData(name) && name.startsWith(`dynamic/${kind}/`))
    .flatMap<Files>(([, value]) => value as unknown as Files | Files[]);

/** Writes one row per object: the columns of the table and the column `data`. Empty columns are null. */
function rows(kind: string, columns: Record<string, string>, all: Files[] = dataOf(kind)): string {
  const row = (one: Files) => {
    const taken = Object.values(columns);
    const data = Object.fromEntries(Object.entries(one).filter(([key]) => !taken.includes(key)));
    const own = Object.entries(columns).map(([column, key]) => [column, one[key] ?? null]);
    return JSON.stringify({ ...Object.fromEntries(own), data });
  };
  return all.map((one) => `${row(one)}\n`).join('');
}

const SUBSCRIPTION = {
  id: 'id',
  applications_id: 'application',
  plan_id: 'plan',
  api_id: 'api',
  client_id: 'clientId',
};
const ROWS: Files = {
  'rows/users.jsonl': rows('users', { id: 'id', email: 'email', custom_id: 'customId' }),
  'rows/applications.jsonl': rows('applications', { id: 'id' }),
  'rows/subscriptions.jsonl': rows('subscriptions', SUBSCRIPTION),
  'rows/grants.jsonl': rows('grants', {
    users_id: 'userId',
    api_id: 'apiId',
    application_id: 'applicationId',
  }),
};

it('wicked: an import from table rows has the same result as from JSON files', async () => {
  const [files, table] = [await imported(WICKED), await imported({ ...STATIC, ...ROWS })];
  expect(table.people).toEqual(files.people);
  expect(table.people).toHaveLength(1);
  expect(table.registry).toEqual(files.registry);
  expect(table.report.counts['not looked at']).toBe(files.report.counts['not looked at']);
});

it('wicked: the registration name is imported, and dropped registration data are reported', async () => {
  const user = { id: 'f'.repeat(40), email: 'bob@example.com' };
  const registration = {
    id: 'r',
    userId: user.id,
    poolId: 'wicked',
    namespace: null,
    name: 'Bob Builder',
    shoe: 38,
  };
  const columns = { id: 'id', users_id: 'userId', pool_id: 'poolId', namespace: 'namespace', name: 'name' };
  const { people, report } = await imported({
    ...STATIC,
    'rows/users.jsonl': rows('users', { id: 'id', email: 'email', custom_id: 'customId' }, [user]),
    'rows/registrations.jsonl': rows('registrations', columns, [registration]),
  });
  expect(people).toEqual([{ subject: user.id, email: user.email, name: 'Bob Builder' }]);
  expect(report.rows).toContainEqual(
    expect.objectContaining({ outcome: 'left out', path: 'registrations[0].shoe' }),
  );
});
