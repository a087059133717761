// Writes the files of an import: registry.yaml, people.jsonl, tokens.jsonl and the report.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import {
  type ImportedPerson,
  type PersonLine,
  readHash,
  readTokenLine,
  referencesOf,
  type TokenLine,
  withoutWrongs,
} from '../../../lib/catalogue/people/person-line.ts';
import { SourceFault, type SourceFile } from '../../../lib/kit/source-file.ts';
import { claimName } from '../../../lib/registry/claims.ts';
import { formerIssuers } from '../../../lib/registry/issuers.ts';
import { type Became, type Notes, OUTCOMES, type Part, type ReportRow } from './notes.ts';

export type Conversion = {
  files: readonly SourceFile[];
  notes: Notes;
  registry: Registry;
  take: TakePerson;
  takeToken: TakeToken;
  /** environment variables, which contain the keys of encrypted sources */
  env: Readonly<Record<string, string | undefined>>;
};
export type Converter = (conversion: Conversion) => Promise<void>;

// The output folder is atomic: it is filled under a temporary name and renamed when it is complete.

const FILE_NAMES = ['registry.yaml', 'people.jsonl', 'tokens.jsonl', 'report.md', 'report.json'] as const;

/** Replaces the folder of a previous import, and rejects a folder that contains other files. */
export async function fillFolder<Made>(folder: string, fill: (at: string) => Promise<Made>): Promise<Made> {
  const to = path.resolve(folder);
  const was = await filesIn(to);
  const other = was?.find((name) => !FILE_NAMES.some((fileName) => fileName === name));
  if (other !== undefined) throw new SourceFault(`${folder}: contains ${other}, choose another folder`);
  await mkdir(path.dirname(to), { recursive: true });
  const beside = `${to}.${randomBytes(6).toString('hex')}`;
  // only the owner can access the folder, because it contains password hashes
  await mkdir(`${beside}.new`, { mode: 0o700 });
  try {
    const result = await fill(`${beside}.new`);
    if (was) await replace(to, beside);
    else await rename(`${beside}.new`, to);
    return result;
  } finally {
    await rm(`${beside}.new`, { recursive: true, force: true });
  }
}

/**
 * Replaces the previous import. It is deleted only after the new folder was renamed; if that fails, it is restored.
 */
async function replace(to: string, beside: string): Promise<void> {
  await rename(to, `${beside}.old`);
  try {
    await rename(`${beside}.new`, to);
  } catch (error) {
    await rename(`${beside}.old`, to);
    throw error;
  }
  await rm(`${beside}.old`, { recursive: true, force: true });
}

async function filesIn(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new SourceFault(
      `${folder}: ${code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${code})`}`,
    );
  }
}

// Former issuers: they stay active at their old address until a date that the operator chooses.

type Entry = Record<string, unknown>;
type Issuer = { issuer: string; auth_method: string; layout: 'keycloak' | 'wicked' };

const HOW =
  'clients with the old addresses get no response: set former_issuers.until to the last day of these addresses, such as 2027-06-30';

/** Returns the chosen last day. Returns null if it is missing or invalid. */
export function formerUntil(notes: Notes): string | null {
  if (notes.choice('former_issuers.until') === undefined) {
    notes.add('left out', 'former_issuers', HOW);
    return null;
  }
  const read = (answer: unknown) => {
    const day = typeof answer === 'string' && /^\d{4}-\d\d-\d\d$/.test(answer) ? new Date(answer) : null;
    return day === null || Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
  };
  return notes.decide('former_issuers.until', 'the last day of the old addresses', read) ?? null;
}

/**
 * Returns the address of the old service. `proposedHost`: the host in the export, which a choice of the operator
 * replaces.
 */
export function formerHost(notes: Notes, proposedHost: string | undefined): string | null {
  const isGood = (value: unknown): value is string =>
    typeof value === 'string' && /^https:\/\/[^\s?#@%]+$/.test(value) && URL.canParse(value);
  if (isGood(proposedHost) && notes.choice('former_issuers.host') === undefined)
    return proposedHost.replace(/\/$/, '');
  const question = 'the https address of the old service, as clients use it, such as https://sso.example';
  const host = notes.decide('former_issuers.host', question, (answer) =>
    isGood(answer) ? answer : undefined,
  );
  return host?.replace(/\/$/, '') ?? null;
}

/** Returns the only option. If there are several, the operator must choose one at `path`. */
export function oneOf(
  notes: Notes,
  path: string,
  question: string,
  all: readonly string[],
): string | undefined {
  if (all.length < 2) return all[0];
  const fullQuestion = `${question}: ${all.join(', ')}`;
  return notes.decide(path, fullQuestion, (answer) => all.find((option) => option === answer)) ?? undefined;
}

/** Adds a former issuer to the API if its address is valid. */
export function addFormerIssuer(notes: Notes, api: Entry, issuer: Issuer, until: string): void {
  const read = formerIssuers.safeParse([{ ...issuer, until }]);
  if (!read.success) {
    const [{ message } = { message: '' }] = read.error.issues;
    notes.add('left out', 'former_issuers', `${issuer.issuer}: ${message}`);
    return;
  }
  const before = (api['former_issuers'] as Entry[] | undefined) ?? [];
  api['former_issuers'] = [...before, { ...issuer, until }];
  notes.add(
    'changed',
    'former_issuers',
    `Gatehouse responds at ${issuer.issuer} until ${until}: point its host to Gatehouse`,
  );
}

// Accepts users one at a time and rejects duplicate ids, subjects, addresses and names. It keeps these four values of
// each user in memory.

/** Writes a user. `false`: the user is not imported. */
export type TakePerson = (part: Part, line: PersonLine) => Promise<boolean>;

/** Accepts the users of an import. `write` receives a line that ends with its line break. */
export class PeopleTaker {
  readonly #notes: Notes;
  readonly #write: (line: string) => Promise<void>;
  /**
   * for each name that was seen, its line; keyed by a digest of the name to save memory, because there can be
   * millions
   */
  readonly #seen = new Map<string, string>();
  readonly groups = new Set<string>();
  count = 0;

  constructor(notes: Notes, write: (line: string) => Promise<void>) {
    this.#notes = notes;
    this.#write = write;
  }

  /** Accepts a user, and adds the rows of this user to the report. */
  async take(part: Part, line: PersonLine): Promise<boolean> {
    const { text, checked, lost } = withoutWrongs(line);
    const fault = 'faults' in checked ? checked.faults.join('; ') : this.#sameAs(checked.person);
    if (fault !== null) {
      this.#notes.decide(part.path, `This person cannot be imported: ${fault}`, () => undefined);
      return false;
    }
    if ('faults' in checked) return false;
    for (const loss of lost) this.#notes.add('left out', part.path, loss);
    if (hasSecretWithoutName(checked.person)) {
      this.#notes.decide(part.path, NAMELESS, () => undefined);
      return false;
    }
    for (const { key } of namesOf(checked.person)) this.#seen.set(shortOf(key), part.path);
    for (const group of checked.person.groups) this.groups.add(group);
    this.count += 1;
    part.note();
    await this.#write(`${text}\n`);
    return true;
  }

  #sameAs(person: ImportedPerson): string | null {
    for (const { what, key } of namesOf(person)) {
      const place = this.#seen.get(shortOf(key));
      if (place !== undefined) return `the ${what} is already used by ${place}`;
    }
    return null;
  }
}

const NAMELESS =
  'This person has a password or an app, but no name to sign in with: add an email address or a user name in the source, or choose `leave out`';

/** True if the user has a password or an authenticator app, but no name for signing in. */
const hasSecretWithoutName = ({ email, username, password, totp, identities }: ImportedPerson) =>
  email === undefined &&
  username === undefined &&
  (password !== undefined || totp !== undefined) &&
  identities.length === 0;

const shortOf = (name: string) => createHash('sha256').update(name).digest('latin1').slice(0, 12);

function namesOf(person: ImportedPerson): { what: string; key: string }[] {
  const names: { what: string; key: string }[] = referencesOf(person).map(([what, name]) => ({
    what,
    key: `name ${name}`,
  }));
  if (person.email !== undefined) names.push({ what: 'email', key: `email ${person.email}` });
  return names;
}

// registry.yaml: the input of `apply`. The sections have the order of docs/reference/configuration.md.

export type Registry = {
  groups: Entry[];
  auth_methods: Entry[];
  apis: Entry[];
  clients: Entry[];
  subscriptions: Entry[];
};

export const emptyRegistry = (): Registry => ({
  groups: [],
  auth_methods: [],
  apis: [],
  clients: [],
  subscriptions: [],
});

export function registryText(registry: Registry, source: string): string {
  const head = `# Created by gatehouse import ${source}. This file contains secrets in clear text: keep it safe, and delete it after you apply it.\n`;
  return `${head}${stringify(registry, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

// The outcome of each value in the source, for people (report.md) and for programs (report.json).

export type ImportReport = {
  source: string;
  files: readonly string[];
  /** number of lines in people.jsonl */
  people: number;
  /** number of lines in tokens.jsonl */
  tokens: number;
  counts: Record<Became, number>;
  rows: readonly ReportRow[];
  /** choices that match no question */
  unused_choices: readonly string[];
};

const MEANINGS: Record<Became, string> = {
  decide:
    'Add a line for each to the file of `--choices`: the path, a colon, and your choice. `leave out` omits the value. A path with `[]` applies to all values of its kind.',
  'left out': 'The value is not imported.',
  changed: 'The value is imported in another form.',
  'not looked at': 'This import does not support the value.',
  carried: 'The value is imported unchanged.',
  ignored: 'The value has a meaning only in the source, for example the id of a row.',
};

export function countsOf(rows: readonly ReportRow[]): Record<Became, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Became, number>;
  for (const { outcome, count } of rows) counts[outcome] += count;
  return counts;
}

/** Returns the numbers of outcomes in words: `12 carried, 1 decide`. */
export const countsInWords = (counts: Record<Became, number>) =>
  OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');

export function reportInWords(report: ImportReport): string {
  const { source, files, people, tokens, counts, rows, unused_choices } = report;
  const lines = [
    `# Import from ${source}`,
    '',
    `Read: ${files.map(code).join(', ')}. People: ${people}.${tokens > 0 ? ` Refresh tokens: ${tokens}.` : ''} ${countsInWords(counts)}.`,
  ];
  if (unused_choices.length > 0)
    lines.push('', '## Unused choices', '', ...unused_choices.map((path) => `- ${code(path)}`));
  for (const outcome of OUTCOMES) {
    const outcomeRows = rows.filter((row) => row.outcome === outcome);
    if (outcomeRows.length > 0)
      lines.push('', `## ${outcome}`, '', MEANINGS[outcome], '', ...table(outcomeRows));
  }
  return `${lines.join('\n')}\n`;
}

function table(rows: readonly ReportRow[]): string[] {
  const cells = rows.map(({ path, count, reason, first }) =>
    [
      code(path),
      String(count),
      cell(first === undefined ? reason : `${reason} (first: ${first})`.trim()),
    ].join(' | '),
  );
  return ['| path | count | reason |', '| --- | --- | --- |', ...cells.map((row) => `| ${row} |`)];
}

const cell = (text: string) => text.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|');
const code = (text: string) => `\`${cell(text).replaceAll('`', "'")}\``;

// Accepts refresh tokens one at a time. Each becomes a line of tokens.jsonl, for `people import`.

export type TakeToken = (part: Part, line: TokenLine) => Promise<void>;

/** Accepts the refresh tokens of an import. `write` receives a line that ends with its line break. */
export class TokenTaker {
  readonly #write: (line: string) => Promise<void>;
  count = 0;

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Accepts a token, and adds its rows to the report. */
  async take(part: Part, line: TokenLine): Promise<void> {
    const text = JSON.stringify(line);
    const read = readTokenLine(text);
    if ('faults' in read) part.sayOfAll('left out', read.faults.join('; '));
    part.note();
    if ('faults' in read) return;
    this.count += 1;
    await this.#write(`${text}\n`);
  }
}

// Converts values of the source for the files of an import, and reports the outcome of each value.

/**
 * Converts `hash` for the import. `key` is its field in the report. `undefined`: the hash is missing or its kind is
 * not supported.
 */
export function passwordOf(part: Part, key: string, hash: string | undefined): { hash: string } | undefined {
  if (hash === undefined) return undefined;
  const read = readHash(hash);
  if (read.form === 'refused') {
    part.leaveOut(key, `the password cannot be imported: ${read.because}`);
    return undefined;
  }
  if (read.form === 'fast')
    part.say('changed', key, `${read.kind} is a fast hash: people import wraps it in argon2id`);
  else if (read.hash !== hash) part.say('changed', key, 'the hash is written in another form');
  return { hash: read.hash };
}

/** Parses a time, which is a text, or a number of seconds or milliseconds since 1970. */
export function momentOf(part: Part, key: string): string | undefined {
  const text = part.text(key);
  if (text === undefined) return undefined;
  const number = /^\d{9,14}$/.test(text) ? Number(text) : null;
  const written = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}`
    : text;
  const isLocal = written !== text || /T[\d:.]+$/.test(written);
  const date =
    number === null
      ? new Date(isLocal ? `${written}Z` : written)
      : new Date(number < 1e11 ? number * 1000 : number);
  const isKnown = number !== null || /^\d{4}-\d\d-\d\d/.test(text);
  if (isKnown && !Number.isNaN(date.getTime())) return date.toISOString();
  part.leaveOut(key, 'is not a time');
  return undefined;
}

/**
 * Converts a name to an id for the registry: lowercase letters, digits and hyphens. `null`: the name yields no valid
 * id.
 */
export function idOfName(name: string): string | null {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return id === '' || ['new', 'callback', 'token', 'management'].includes(id) ? null : id;
}

/** Returns the values of these keys unchanged. */
export function someOf(part: Part, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => part.has(key)).map((key) => [key, part.value(key)]));
}

type Claims = NonNullable<PersonLine['claims']>;

/** Returns the members of an object as claims, without the names that tokens reserve. */
export function claimsOf(part: Part): Claims {
  const claims: Claims = {};
  for (const name of part.keys()) {
    if (claimName.safeParse(name).success) claims[name] = part.value(name) as Claims[string];
    else part.leaveOut(name, `a claim cannot have the name ${name}`);
  }
  return claims;
}

/** Reason in the report for claims and profile values that are left out, because the user has no identity. */
export const UNKEPT = 'claims are stored with an identity, and this person has none';
