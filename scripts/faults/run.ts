// `npm run faults`: causes one fault after the other, and reports each promise of the service that was broken.
//   --quick       fewer rounds, under 90 seconds, writes no document
//   --only NAME   only this fault; can be repeated
//   --results F   writes { passed: number, failed: string[] } to the file F
//   --keep        keeps logs and the lists of all requests, and prints their folder
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { setLogLevel } from '#lib/kit/log.ts';
import { FAULTS } from './faults/faults.ts';
import { emptyRow, type Row, rowText, writeDocument } from './report.ts';
import { Context, type Fault, prepareTemplate } from './support/context.ts';
import { missingPrograms } from './support/fail-over.ts';
import { brokenInvariants } from './support/invariants.ts';
import { Pair } from './support/pair.ts';
import { Postgres } from './support/postgres.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
    results: { type: 'string' },
  },
});
/**
 * Maximum recovery time after the fault's end, including process start. Quick runs allow more, because they share
 * machines with other work.
 */
const MOST_RECOVERY_SECONDS = values.quick ? 30 : 5;
setLogLevel('silent');
const chosen = FAULTS.filter(({ name }) => values.only === undefined || values.only.includes(name));
if (chosen.length === 0)
  throw new Error(`there is no such fault; there are ${FAULTS.map(({ name }) => name).join(', ')}`);

const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-faults-'));
const secret = randomBytes(32).toString('base64url');
let postgres: Postgres | undefined;
let pair: Pair | undefined;
const rows: Row[] = [];
try {
  for (const fault of chosen) {
    const row = await runOne(fault);
    rows.push(row);
    process.stdout.write(`${rowText(row)}\n`);
  }
} finally {
  await postgres?.stop();
  await pair?.stop();
}
const broken = rows.filter((row) => row.broken.length > 0);
const held = rows.filter((row) => row.broken.length === 0 && !row.skipped).length;
if (values.results !== undefined) {
  const failed = broken.map((row) => `faults > ${row.title}: ${row.broken[0]}`);
  writeFileSync(values.results, JSON.stringify({ passed: held, failed }));
}
process.stdout.write(`\n${held} held, ${broken.length} broke something\n`);
if (!values.quick && values.only === undefined) writeDocument(rows);
if (values.keep || broken.length > 0) process.stdout.write(`logs and ledgers: ${folder}\n`);
else rmSync(folder, { recursive: true, force: true });
process.exit(broken.length === 0 ? 0 : 1);

/** Creates a fault's server on first use. */
async function serverFor(fault: Fault): Promise<Postgres | Pair> {
  const fill = (server: Postgres) => prepareTemplate(server, secret);
  if (fault.onPair) {
    pair ??= await Pair.create(mkdtempSync(path.join(folder, 'pair-')), values.quick, fill);
    return pair;
  }
  if (postgres) return postgres;
  const made = await Postgres.create(folder, values.quick);
  postgres = made;
  await fill(made);
  return made;
}

/**
 * Drops the pair of servers after a failed fault that damaged one of them, so that the next fault gets a new
 * pair.
 */
async function abandonPair(): Promise<void> {
  const abandoned = pair;
  pair = undefined;
  await abandoned?.stop();
}

async function runOne(fault: Fault): Promise<Row> {
  const { name, title } = fault;
  const missing = missingPrograms(fault.needs);
  if (missing.length > 0)
    return emptyRow(fault, { notes: `skipped: without ${missing.join(', ')}`, skipped: true });
  const server = await serverFor(fault).catch((error: Error) => error);
  if (server instanceof Error) return emptyRow(fault, { broken: [`no PostgreSQL for it: ${server.stack}`] });
  const context = new Context({ quick: values.quick, name, folder, postgres: server, secret });
  const began = performance.now();
  const broken: string[] = [];
  let outcome: Awaited<ReturnType<Fault['run']>> = {};
  try {
    await context.open();
    outcome = await fault.run(context);
    broken.push(...(outcome.broken ?? []));
    const look = (client: pg.Client) => brokenInvariants(context.ledger, client);
    broken.push(...(await context.postgres.asOwner(look, context.database)));
  } catch (error) {
    broken.push(`the fault itself broke: ${(error as Error).stack}`);
    await (fault.onPair ? abandonPair() : context.postgres.thaw());
  } finally {
    await context.close();
  }
  if ((outcome.recoverySeconds ?? 0) > MOST_RECOVERY_SECONDS)
    broken.push(`recovery took ${outcome.recoverySeconds?.toFixed(1)} s`);
  return {
    name,
    title,
    requests: context.ledger.length,
    answers: context.ledger.answers(),
    broken: [...new Set(broken)],
    recoverySeconds: outcome.recoverySeconds ?? null,
    notes: outcome.notes ?? '',
    seconds: (performance.now() - began) / 1000,
  };
}
