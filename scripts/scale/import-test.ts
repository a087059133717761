// Imports many users with the command line: in one run, and with two kills plus restarts. Measures memory.
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { withClient } from '#testing/data/sql.ts';
import {
  everything,
  type Imported,
  importPeople,
  prepare,
  writeImport,
} from '#testing/moving-in/killed-import.ts';
import { gatehouse, startOwnDatabase } from '#testing/service/service.ts';

const USAGE = 'usage: npm run import-test [-- PEOPLE]';

const people = Number(process.argv[2] ?? 100_000);
if (!Number.isSafeInteger(people) || people < 1_000) {
  process.stderr.write(`${USAGE}\nPEOPLE is a number from 1000 on.\n`);
  process.exit(2);
}

const printResult = (what: string, { status, seconds, rss, heap }: Imported) =>
  process.stdout.write(
    `${what}: ${status === null ? 'killed' : `status ${status}`} after ${seconds.toFixed(0)} s${
      rss === null ? '' : `, at most ${rss} MiB of memory, ${heap} of them in the heap`
    }\n`,
  );

const own = await startOwnDatabase();
try {
  await withClient(own.databaseUrl, (admin) =>
    admin.query('create database few; ').then(() => admin.query('create database broken')),
  );
  const at = (name: string) => ({
    ...own.env,
    DATABASE_URL: own.databaseUrl.replace(/\/[^/]+$/, `/${name}`),
  });
  const [few, whole, broken] = [at('few'), own.env, at('broken')];
  for (const env of [few, whole, broken]) {
    gatehouse(env, 'migrate');
    prepare(env, own.folder);
  }
  const [some, all] = ['some', 'all'].map((name) => path.join(own.folder, name)) as [string, string];
  writeImport(some, Math.floor(people / 10));
  writeImport(all, people);
  printResult(`${Math.floor(people / 10)} people`, await importPeople(few, some));
  printResult(`${people} people`, await importPeople(whole, all));
  const first = randomInt(1, people);
  for (const killAt of [first, randomInt(first, people)])
    printResult(`killed at ${killAt} people or more`, await importPeople(broken, all, { killAt }));
  printResult('begun again', await importPeople(broken, all));
  const [rows, others] = [await everything(own.databaseUrl), await everything(broken.DATABASE_URL)];
  const differ = rows.filter((row, n) => row !== others[n]).length + Math.abs(rows.length - others.length);
  process.stdout.write(`${rows.length} rows, of which ${differ} differ\n`);
  process.exitCode = differ === 0 ? 0 : 1;
} finally {
  await own.stop();
}
