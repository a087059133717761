// Imports people and refresh tokens from another service.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  costOfHash,
  type ImportedPerson,
  readPersonLine,
  readTokenLine,
  referencesOf,
} from '#lib/catalogue/people/person-line.ts';
import { byProfileName, profileKey } from '#lib/catalogue/people/profile.ts';
import {
  countImportedPeople,
  findTakenNames,
  type ImportedRow,
  insertImportedIdentities,
  insertImportedParts,
  insertImportedPeople,
  removeImportedPeople,
  selectImportRuns,
  type Taken,
} from '#lib/catalogue/people/rows.ts';
import { subjectSalt } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { linesOf, SourceFault, type SourceFile } from '#lib/kit/source-file.ts';
import { insertFormerTokens } from '#lib/store/former.ts';
import { sealPepper } from '#lib/store/hot/credentials.ts';
import { announceKept, renewKept } from '#lib/store/keys.ts';
import { isUniqueFault } from '#lib/store/pool.ts';
import { type Db, inTransaction, lockName } from '#lib/store/prisma.ts';
import { sealForRow } from '#lib/store/sealed.ts';
import { currentSnapshot, type Snapshot } from '#lib/store/snapshot.ts';
import { operation } from './operations.ts';
import { isHost } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

// Writes a batch in one transaction: finds users that exist and names that are taken, and inserts the other users.

type ImportLine = { number: number; person: ImportedPerson };
/** `because`: the reason why the line was skipped. */
type LineFault = { line: number; because: string };
const TAKEN_MEANWHILE = 'one of its names was taken meanwhile';
/**
 * `unkept`: number of users whose claims are dropped, because claims are stored with an identity and these users have
 * none.
 */
type BatchResult = { imported: number; unchanged: number; unkept: number; refused: LineFault[] };

/**
 * Digest of a line about a user, independent of the order of its members. The digest is stored, so it does not
 * include secrets: otherwise attackers could test guesses of a password with it, faster than with the stored hash.
 */
function digestOfLine({ password: _, totp: __, ...person }: ImportedPerson): string {
  const sortMembers = (value: unknown): unknown =>
    value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([key, inner]) => [key, sortMembers(inner)]),
        )
      : Array.isArray(value)
        ? value.map(sortMembers)
        : value;
  return createHash('sha256')
    .update(JSON.stringify(sortMembers(person)))
    .digest('hex');
}

/** Names of users that exist, or that earlier lines contain. */
class TakenNames {
  readonly #digests = new Map<string, string | null>();
  readonly #taken = new Set<string>();

  add({ what, value, digest }: Taken): void {
    if (what === 'id') this.#digests.set(value, digest);
    else this.#taken.add(`${what} ${value}`);
  }

  /** Digest of the line that created the user with this id; `undefined`: no user has the id. */
  digestAt(id: string): string | null | undefined {
    return this.#digests.get(id);
  }

  /** The reason why the user cannot be written. `null`: all names were free, and are now reserved. */
  take(person: ImportedPerson, digest: string): string | null {
    const because = this.#whyNot(person);
    if (because !== null) return because;
    this.add({ what: 'id', value: person.id, digest });
    for (const [name] of namesOf(person)) this.#taken.add(name);
    return null;
  }

  #whyNot(person: ImportedPerson): string | null {
    const group = person.groups.find((groupName) => !this.#taken.has(`group ${groupName}`));
    if (group !== undefined) return `there is no group ${group}`;
    const takenName = namesOf(person).find(([name]) => this.#taken.has(name));
    if (takenName) return takenName[1];
    const sub = person.subject ?? person.id;
    if (this.#taken.has(`machine ${sub}`))
      return `${sub} is the client_id of a client, whose own tokens have it as sub`;
    return null;
  }
}

/**
 * Returns the ids, user names and kept subjects of a person, which share one namespace. Upper and lower case
 * are equal in it.
 */
function namesOf(person: ImportedPerson): [name: string, because: string][] {
  const { email, identities } = person;
  return [
    ...referencesOf(person).map(([what, name]): [string, string] => [
      `name ${name}`,
      `${what} ${name} is the id, user name or subject of another person`,
    ]),
    ...(email ? [[`email ${email}`, `email ${email} is another person’s`] as [string, string]] : []),
    ...identities.map((identity): [string, string] => [
      `identity ${identity.auth_method}\n${identity.subject}`,
      `the identity ${identity.subject} of ${identity.auth_method} is another person’s`,
    ]),
  ];
}

const askedNames = (lines: readonly ImportLine[]) => ({
  ids: lines.map(({ person }) => person.id),
  emails: lines.flatMap(({ person }) => person.email ?? []),
  names: lines.flatMap(({ person }) => referencesOf(person).map(([, name]) => name)),
  subjects: lines.map(({ person }) => person.subject ?? person.id),
  groups: lines.flatMap(({ person }) => person.groups),
  identities: lines.flatMap(({ person }) =>
    person.identities.map((identity) => ({ authMethodId: identity.auth_method, subject: identity.subject })),
  ),
});

/** Fast hashes wrapped in argon2id, keyed by id of the user. Wrapping a hash takes as long as a sign-in. */
type Wrapped = ReadonlyMap<string, string>;

/**
 * Wraps the hashes of lines that can probably be imported. It runs before the transaction, because the time of a
 * transaction is limited.
 */
async function wrapHashes(db: Db, lines: readonly ImportLine[], snapshot: Snapshot): Promise<Wrapped> {
  const fast = lines.filter(({ person }) => person.password?.hash.form === 'fast');
  if (fast.length === 0) return new Map();
  const { fresh } = sortLines(lines, await takenBy(db, lines), snapshot);
  return new Map(
    await Promise.all(
      fresh.flatMap(({ person: { id, password } }) =>
        password?.hash.form === 'fast'
          ? [wrapHash(password.hash.hash).then((hash) => [id, hash] as const)]
          : [],
      ),
    ),
  );
}

async function storedHash({ id, password }: ImportedPerson, wrapped: Wrapped): Promise<string | null> {
  if (!password) return null;
  const { form, hash } = password.hash;
  return form === 'fast' ? (wrapped.get(id) ?? wrapHash(hash)) : sealPepper(id, hash);
}

async function rowOf(person: ImportedPerson, digest: string, wrapped: Wrapped): Promise<ImportedRow> {
  const { id, subject, email, username, given_name: given, family_name: family } = person;
  return {
    ...{ id, subject: subject ?? null, email: email ?? null, username: username ?? null },
    emailVerified: email !== undefined && (person.email_verified ?? false),
    name: person.name ?? [given, family].filter(Boolean).join(' '),
    ...byProfileName((name) => person[profileKey(name)] ?? null),
    disabled: person.disabled ?? false,
    createdAt: person.created_at ?? null,
    passwordHash: await storedHash(person, wrapped),
    mustChangePassword: person.must_change_password ?? false,
    roles: person.roles,
    digest,
  };
}

/** Decides which lines are written, according to the taken names, and adds the digests of the lines. */
function sortLines(lines: readonly ImportLine[], takenNames: TakenNames, { methods }: Snapshot) {
  const fresh: (ImportLine & { digest: string })[] = [];
  const refused: LineFault[] = [];
  let unchanged = 0;
  for (const { number, person } of lines) {
    const digest = digestOfLine(person);
    const before = takenNames.digestAt(person.id);
    const unknown = person.identities.find((identity) => !methods.has(identity.auth_method));
    if (before === digest) unchanged += 1;
    else if (before !== undefined)
      refused.push({ line: number, because: `${person.id} is here with other content, and is not touched` });
    else if (unknown)
      refused.push({ line: number, because: `there is no authentication method ${unknown.auth_method}` });
    else {
      const because = takenNames.take(person, digest);
      if (because === null) fresh.push({ number, person, digest });
      else refused.push({ line: number, because });
    }
  }
  return { fresh, unchanged, unkept: fresh.filter(hasUnkeptClaims).length, refused };
}

/** Returns the names that exist or that earlier lines contain. `all`: names in earlier lines. */
async function takenBy(db: Db, lines: readonly ImportLine[], all = new TakenNames()): Promise<TakenNames> {
  for (const takenName of await findTakenNames(db, askedNames(lines))) all.add(takenName);
  return all;
}

const hasUnkeptClaims = ({ person }: ImportLine) =>
  person.identities.length === 0 && Object.keys(claimsOf(person)).length > 0;

/** Inserts new users in the transaction of `db`. */
export async function writeBatch(
  db: Db,
  run: string,
  lines: readonly ImportLine[],
  snapshot: Snapshot,
  wrapped: Wrapped = new Map(),
): Promise<BatchResult> {
  const { fresh, unchanged, unkept, refused } = sortLines(lines, await takenBy(db, lines), snapshot);
  const rows = await Promise.all(fresh.map(({ person, digest }) => rowOf(person, digest, wrapped)));
  const written = rows.length === 0 ? new Set<string>() : await insertImportedPeople(db, run, rows);
  const newLines = fresh.filter(({ person }) => written.has(person.id));
  const lost = await insertImportedIdentities(db, newLines.flatMap(identitiesOf));
  const people = newLines.filter(({ person }) => !lost.has(person.id));
  for (const importLine of fresh.filter((line) => !people.includes(line)))
    refused.push({ line: importLine.number, because: TAKEN_MEANWHILE });
  await insertImportedParts(db, partsOf(people, snapshot));
  return { imported: people.length, unchanged, unkept, refused };
}

const identitiesOf = ({ person }: ImportLine) =>
  person.identities.map(({ auth_method: authMethodId, subject, email, name }) => ({
    ...{ personId: person.id, authMethodId, subject, email: email ?? null, name: name ?? null },
    claims: claimsOf(person),
  }));

function partsOf(people: readonly ImportLine[], { apis, clients }: Snapshot) {
  return {
    groups: people.flatMap(({ person: { id, groups } }) =>
      groups.map((groupId) => ({ personId: id, groupId })),
    ),
    totps: people.flatMap(({ person: { id, totp } }) =>
      totp ? [{ personId: id, sealedSecret: sealForRow('totp_secrets', id, totp.secret) }] : [],
    ),
    consents: people.flatMap(({ person }) =>
      person.consents
        .filter(({ api, client_id: clientId }) => apis.has(api) && clients.get(clientId) !== undefined)
        .map(({ client_id: clientId, api: apiId, scopes, given_at: givenAt }) => ({
          ...{ personId: person.id, clientId, apiId, scopes, givenAt: givenAt ?? null },
        })),
    ),
  };
}

const claimsOf = ({ claims, given_name: given, family_name: family }: ImportedPerson) => ({
  ...(given && { given_name: given }),
  ...(family && { family_name: family }),
  ...claims,
});

// Imports people.jsonl in batches. Each batch is one transaction, so a stopped import continues at the same batch
// after a restart. The file is read twice, line by line. The first pass checks that the file is complete, and finds
// out whether the file was imported before.

const BATCH = 500;

type ImportTotals = { imported: number; unchanged: number; refused: number };
/** `unkept`: number of imported users whose claims were dropped, because these users have no identity. */
type PeopleTotals = ImportTotals & { unkept: number };
/** A function that is called after each batch with the results so far. */
type ImportProgress = (faults: readonly LineFault[], totals: Readonly<ImportTotals>) => void;

/**
 * `run`: digest of the content without passwords, which identifies the file. `seconds`: estimated time for wrapping
 * the hashes.
 */
type ImportRead = { run: string; lines: number; seconds: number };

type ImportAsked = {
  file: SourceFile;
  dryRun: boolean;
  /** called before anything is written */
  begun: (read: ImportRead) => void;
  progress: ImportProgress;
};

/** Reads the whole file once. Throws `SourceFault` if it cannot be read or is truncated. */
async function readImport(file: SourceFile): Promise<ImportRead> {
  const digest = createHash('sha256');
  let [lines, fast] = [0, 0];
  for await (const { text, number, whole } of linesOf(file)) {
    lines += 1;
    const read = readPersonLine(text);
    // the stored digests of the file and its lines reveal nothing about passwords
    digest.update('person' in read ? digestOfLine(read.person) : `${number}\n`);
    if ('person' in read && read.person.password?.hash.form === 'fast') fast += 1;
    if (!whole && 'faults' in read && read.faults[0] === 'is not JSON')
      throw new SourceFault(
        `${file.name}:${number}: is not JSON, and nothing follows: the file is incomplete`,
      );
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
  // only for the operator on the host: hashes and ids are written unchanged
  { name: 'importPeople', right: 'people.manage', fresh: 'always' },
  async ({ actor, db: pool }, { file, dryRun, begun, progress }: ImportAsked): Promise<PeopleTotals> => {
    if (!isHost(actor)) throw new Error('people are imported at the host');
    const read = await readImport(file);
    begun(read);
    const { run } = read;
    const kinds = new Set<string>();
    const totals = { imported: 0, unchanged: 0, refused: 0, unkept: 0 };
    const all = new TakenNames();
    for await (const { lines, faults, leftOut } of batchesOf(file)) {
      const done = dryRun ? await tryLines(lines, all) : await carriedOut(lines);
      const refused = [...faults, ...done.refused];
      totals.imported += done.imported;
      totals.unchanged += done.unchanged;
      totals.unkept += done.unkept;
      totals.refused += refused.length;
      progress(byLine(refused, leftOut), totals);
    }
    return totals;

    async function carriedOut(lines: readonly ImportLine[]) {
      await announceNames(lines);
      const snapshot = await currentSnapshot();
      const wrapped = await wrapHashes(pool, lines, snapshot);
      const brings = bringsKind(kinds, lines);
      const write = (some: readonly ImportLine[]) =>
        inTransaction(async (db) => {
          // the lock is needed because the database may still run statements of a killed import when a second import
          // starts
          await lockName(db, 'people import');
          const result = await writeBatch(db, run, some, snapshot, wrapped);
          const { imported, unchanged, refused } = result;
          const details = { run, imported, unchanged, refused: refused.length };
          if (imported > 0) await record(actor, { event: 'people.imported', details }, db);
          // every process must measure a new kind of hash before it verifies the first hash of this kind
          if (imported > 0 && brings) await renewKept(db);
          return result;
        });
      // if a name was taken in the meantime, the second attempt detects it; if both attempts fail, the lines are
      // written one by one, so that only the line with the taken name fails
      const batchResult = (await unlessTaken(write(lines))) ?? (await unlessTaken(write(lines)));
      if (batchResult !== null) return batchResult;
      const each: BatchResult = { imported: 0, unchanged: 0, unkept: 0, refused: [] };
      for (const line of lines) {
        const outcome = await unlessTaken(write([line]));
        each.imported += outcome?.imported ?? 0;
        each.unchanged += outcome?.unchanged ?? 0;
        each.unkept += outcome?.unkept ?? 0;
        each.refused.push(...(outcome?.refused ?? [{ line: line.number, because: TAKEN_MEANWHILE }]));
      }
      return each;
    }
  },
);

/** Returns the result of the batch; null: a name was taken in the meantime. */
const unlessTaken = (written: Promise<BatchResult>): Promise<BatchResult | null> =>
  written.catch((error: unknown) => {
    if (isUniqueFault(error)) return null;
    throw error;
  });

/** True if the lines contain a new kind of hash. A missing password is treated as a kind, too. */
function bringsKind(kinds: Set<string>, lines: readonly ImportLine[]): boolean {
  const before = kinds.size;
  for (const { person } of lines) kinds.add(person.password ? costOfHash(person.password.hash.hash) : '');
  return kinds.size > before;
}

/** A dry run that writes nothing. `all` contains the names of earlier lines. */
async function tryLines(lines: readonly ImportLine[], all: TakenNames) {
  const takenNames = await inTransaction((db) => takenBy(db, lines, all));
  const { fresh, ...rest } = sortLines(lines, takenNames, await currentSnapshot());
  return { imported: fresh.length, ...rest };
}

/**
 * Announces that kept subjects or user names will be used, so that every process looks them up before such users
 * exist.
 */
async function announceNames(lines: readonly ImportLine[]): Promise<void> {
  const subjects = lines.some(({ person }) => person.subject !== undefined);
  const usernames = lines.some(({ person }) => person.username !== undefined);
  const snapshot = await currentSnapshot();
  // creates the salt, because its row stores the announcement
  await subjectSalt(snapshot);
  if (!(subjects && !snapshot.keptSubjects) && !(usernames && !snapshot.usernames)) return;
  await inTransaction((db) => announceKept(db, { subjects, usernames }));
}

const byLine = (...faults: LineFault[][]): LineFault[] =>
  faults.flat().toSorted((lineFault, other) => lineFault.line - other.line);

/** `leftOut`: optional parts that are dropped from lines that can be imported. */
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

// Imports tokens.jsonl, after people.jsonl: refresh tokens of another service, each of which can be redeemed once
// (lib/oauth/former.ts). A token that was imported before stays unchanged.

type Line = { number: number; token: Extract<ReturnType<typeof readTokenLine>, { token: unknown }>['token'] };

export const importTokens = operation(
  // only for the operator on the host: hashes and ids are written unchanged
  { name: 'importTokens', right: 'people.manage', fresh: 'always' },
  async (
    { actor },
    { file, dryRun, progress }: { file: SourceFile; dryRun: boolean; progress: ImportProgress },
  ): Promise<ImportTotals> => {
    if (!isHost(actor)) throw new Error('tokens are imported at the host');
    const totals = { imported: 0, unchanged: 0, refused: 0 };
    let [lines, faults]: [Line[], LineFault[]] = [[], []];
    for await (const { text, number } of linesOf(file)) {
      const read = readTokenLine(text);
      if ('token' in read) lines.push({ number, token: read.token });
      else faults.push(...read.faults.map((because) => ({ line: number, because })));
      if (lines.length + faults.length < BATCH) continue;
      await batch();
    }
    await batch();
    return totals;

    async function batch(): Promise<void> {
      const snapshot = await currentSnapshot();
      const tokenLines = lines.filter(({ number, token }) => {
        const because = whyNot(token, snapshot);
        if (because !== null) faults.push({ line: number, because });
        return because === null;
      });
      const outcomes = await inTransaction(async (db) => {
        const result = await insertFormerTokens(
          db,
          tokenLines.map(({ token }) => token),
          dryRun,
        );
        const createdCount = result.filter((outcome) => outcome === 'made').length;
        if (createdCount > 0 && !dryRun)
          await record(actor, { event: 'people.tokens_imported', details: { imported: createdCount } }, db);
        return result;
      });
      for (const [at, one] of outcomes.entries()) {
        if (one === 'made') totals.imported += 1;
        else if (one === 'there') totals.unchanged += 1;
        else
          faults.push({
            line: tokenLines[at]?.number ?? 0,
            because: `nobody has the subject ${tokenLines[at]?.token.subject}`,
          });
      }
      totals.refused += faults.length;
      progress(
        faults.toSorted((lineFault, other) => lineFault.line - other.line),
        totals,
      );
      [lines, faults] = [[], []];
    }
  },
);

function whyNot(
  { client_id: clientId, api, auth_method: method, ...token }: Line['token'],
  snapshot: Snapshot,
) {
  if (token.expires_at.getTime() <= now().getTime()) return 'has expired';
  if (snapshot.clients.get(clientId) === undefined) return `there is no client ${clientId}`;
  if (!snapshot.apis.get(api)?.authMethods.includes(method))
    return `there is no issuer of ${method} and ${api}`;
  return null;
}

// Undoes an import: deletes its users, except users who have signed in since then or who own a client.

/** `stayed`: users who have signed in, and owners of a client. */
export const undoImport = operation(
  { name: 'undoImport', right: 'people.manage', fresh: 'always' },
  async ({ actor, db: pool }, { run }: { run: string }): Promise<{ removed: number; stayed: number }> => {
    if (!isHost(actor)) throw new Error('an import is undone at the host');
    if ((await countImportedPeople(pool, run)) === 0) {
      const runs = await selectImportRuns(pool);
      throw runs.length === 0
        ? new Refused('import.no_runs', { run })
        : new Refused('import.unknown_run', { run, runs: runs.join(', ') });
    }
    let removed = 0;
    while (true) {
      const batch = await inTransaction(async (db) => {
        const removal = await removeImportedPeople(db, run);
        if (removal.removed > 0)
          await record(
            actor,
            { event: 'people.import_undone', details: { run, removed: removal.removed } },
            db,
          );
        return removal;
      });
      if (batch.found === 0) break;
      removed += batch.removed;
    }
    return { removed, stayed: await countImportedPeople(pool, run) };
  },
);
