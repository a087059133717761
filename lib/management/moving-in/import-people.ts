// people.jsonl, carried out in batches: each is one transaction, so an import that was stopped continues where it
// was when it is begun again. It is read twice, a line at a time: first to see that it is whole and which run it is.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { subjectSalt } from '#lib/keys/subject-salt.ts';
import { wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { costOfHash } from '#lib/moving-in/people/hash-text.ts';
import { readPersonLine } from '#lib/moving-in/people/person-line.ts';
import { SourceFault, type SourceFile } from '#lib/moving-in/reading/source-file.ts';
import { linesOf } from '#lib/moving-in/reading/text-lines.ts';
import { isUniqueFault } from '#lib/store/database/pool.ts';
import { inTransaction, lockName } from '#lib/store/database/prisma.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { announceKept, renewKept } from '#lib/store/registry/subject-salt.ts';
import { operation } from '../core/operation.ts';
import { isHost } from '../core/policy.ts';
import { record } from '../core/record.ts';
import {
  type BatchResult,
  digestOfLine,
  type ImportLine,
  type LineFault,
  sortLines,
  TAKEN_MEANWHILE,
  TakenNames,
  takenBy,
  wrapHashes,
  writeBatch,
} from './batch.ts';

const BATCH = 500;

export type ImportTotals = { imported: number; unchanged: number; refused: number };
/** `unkept`: of those that were imported, people whose claims have no identity that would keep them. */
type PeopleTotals = ImportTotals & { unkept: number };
/** Called for each batch, with what became of all lines until then. */
export type ImportProgress = (faults: readonly LineFault[], totals: Readonly<ImportTotals>) => void;

/**
 * `run`: of the content without passwords, so one file is one run. `seconds`: about how long hashes take that are
 * wrapped.
 */
export type ImportRead = { run: string; lines: number; seconds: number };

export type ImportAsked = {
  file: SourceFile;
  dryRun: boolean;
  /** before anything is written */
  begun: (read: ImportRead) => void;
  progress: ImportProgress;
};

/** SourceFault where it cannot be read to its end. */
async function readImport(file: SourceFile): Promise<ImportRead> {
  const digest = createHash('sha256');
  let [lines, fast] = [0, 0];
  for await (const { text, number, whole } of linesOf(file)) {
    lines += 1;
    const read = readPersonLine(text);
    // the run is stored, and so are digests of lines: neither says anything of passwords
    digest.update('person' in read ? digestOfLine(read.person) : `${number}\n`);
    if ('person' in read && read.person.password?.hash.form === 'fast') fast += 1;
    if (!whole && 'faults' in read && read.faults[0] === 'is not JSON')
      throw new SourceFault(`${file.name}:${number}: is not JSON, and nothing follows: the file was cut`);
  }
  return { run: digest.digest('hex').slice(0, 12), lines, seconds: await secondsFor(fast) };
}

async function secondsFor(fast: number): Promise<number> {
  if (fast === 0) return 0;
  const began = performance.now();
  await wrapHash('{SHA}/8wfRUGm8tTSBrWrjhQj2hPe5cw=');
  return Math.ceil((fast * (performance.now() - began)) / 1000 / Math.max(1, availableParallelism() - 1));
}

export const importPeople = operation(
  'importPeople',
  async ({ actor, db: pool }, { file, dryRun, begun, progress }: ImportAsked): Promise<PeopleTotals> => {
    if (!isHost(actor)) throw new Error('people are imported at the host');
    const read = await readImport(file);
    begun(read);
    const { run } = read;
    const kinds = new Set<string>();
    const totals = { imported: 0, unchanged: 0, refused: 0, unkept: 0 };
    const all = new TakenNames();
    for await (const { lines, faults, leftOut } of batchesOf(file)) {
      const done = dryRun ? await tried(lines, all) : await carriedOut(lines);
      const refused = [...faults, ...done.refused];
      totals.imported += done.imported;
      totals.unchanged += done.unchanged;
      totals.unkept += done.unkept;
      totals.refused += refused.length;
      progress(byLine(refused, leftOut), totals);
    }
    return totals;

    async function carriedOut(lines: readonly ImportLine[]) {
      await announced(lines);
      const snapshot = await currentSnapshot();
      const wrapped = await wrapHashes(pool, lines, snapshot);
      const brings = bringsKind(kinds, lines);
      const write = (some: readonly ImportLine[]) =>
        inTransaction(async (db) => {
          // one that was killed may not have ended yet at the database, and another may run at the same time
          await lockName(db, 'people import');
          const result = await writeBatch(db, run, some, snapshot, wrapped);
          const { imported, unchanged, refused } = result;
          const details = { run, imported, unchanged, refused: refused.length };
          if (imported > 0) await record(actor, { event: 'people.imported', details }, db);
          // all processes measure a kind of hash before they check the first one
          if (imported > 0 && brings) await renewKept(db);
          return result;
        });
      // someone took a name meanwhile, which the second look sees; a name that neither sees costs only its own line
      const done = (await unlessTaken(write(lines))) ?? (await unlessTaken(write(lines)));
      if (done !== null) return done;
      const each: BatchResult = { imported: 0, unchanged: 0, unkept: 0, refused: [] };
      for (const line of lines) {
        const one = await unlessTaken(write([line]));
        each.imported += one?.imported ?? 0;
        each.unchanged += one?.unchanged ?? 0;
        each.unkept += one?.unkept ?? 0;
        each.refused.push(...(one?.refused ?? [{ line: line.number, because: TAKEN_MEANWHILE }]));
      }
      return each;
    }
  },
);

/** Null: a name was taken meanwhile. */
const unlessTaken = (written: Promise<BatchResult>): Promise<BatchResult | null> =>
  written.catch((error: unknown) => {
    if (isUniqueFault(error)) return null;
    throw error;
  });

/** Whether the lines have a first of a kind, those without a password counted as one. */
function bringsKind(kinds: Set<string>, lines: readonly ImportLine[]): boolean {
  const before = kinds.size;
  for (const { person } of lines) kinds.add(person.password ? costOfHash(person.password.hash.hash) : '');
  return kinds.size > before;
}

/** Nothing is written; `all` has the names of the lines before. */
async function tried(lines: readonly ImportLine[], all: TakenNames) {
  const taken = await inTransaction((db) => takenBy(db, lines, all));
  const { fresh, ...rest } = sortLines(lines, taken, await currentSnapshot());
  return { imported: fresh.length, ...rest };
}

/** Before the first people with such names are there, all processes ask for them. */
async function announced(lines: readonly ImportLine[]): Promise<void> {
  const subjects = lines.some(({ person }) => person.subject !== undefined);
  const usernames = lines.some(({ person }) => person.username !== undefined);
  const snapshot = await currentSnapshot();
  // its row is where that is written
  await subjectSalt(snapshot);
  if (!(subjects && !snapshot.keptSubjects) && !(usernames && !snapshot.usernames)) return;
  await inTransaction((db) => announceKept(db, { subjects, usernames }));
}

const byLine = (...faults: LineFault[][]): LineFault[] =>
  faults.flat().toSorted((one, other) => one.line - other.line);

/** `leftOut`: optional parts of lines that are carried out. */
type Batch = { lines: ImportLine[]; faults: LineFault[]; leftOut: LineFault[] };

async function* batchesOf(file: SourceFile): AsyncGenerator<Batch> {
  let [lines, faults, leftOut]: [ImportLine[], LineFault[], LineFault[]] = [[], [], []];
  for await (const { text, number } of linesOf(file)) {
    const read = readPersonLine(text);
    if ('person' in read) {
      lines.push({ number, person: read.person });
      leftOut.push(...read.lost.map((lost) => ({ line: number, because: `left out: ${lost}` })));
    }
    if ('faults' in read) faults.push(...read.faults.map((because) => ({ line: number, because })));
    if (lines.length + faults.length < BATCH) continue;
    yield { lines, faults, leftOut };
    [lines, faults, leftOut] = [[], [], []];
  }
  if (lines.length + faults.length > 0) yield { lines, faults, leftOut };
}
