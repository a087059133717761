// The report of an import: the outcome of each value in the source, and the operator's choices for values that need a
// decision. Equal rows of lists are merged, with their number.

export const OUTCOMES = ['decide', 'left out', 'changed', 'not looked at', 'carried', 'ignored'] as const;
export type Became = (typeof OUTCOMES)[number];

/**
 * A row of the report. `path`: the exact path, or a path with `[]` for all items of a list. `first`: the first of
 * several paths.
 */
export type ReportRow = { outcome: Became; path: string; reason: string; count: number; first?: string };

/**
 * Above this number, rows with the same parent are merged regardless of their reason, because a reason may contain
 * text of a user.
 */
const MAX_ROWS = 20_000;
const MAX_DECISIONS = 1_000;
const MANY = 'several reasons: the report has too many rows to list them';

/** The text with which the operator chooses that an object is not imported. */
const LEAVE_OUT = 'leave out';

export class Notes {
  readonly #choices: ReadonlyMap<string, unknown>;
  readonly #unused: Set<string>;
  readonly #rows = new Map<string, ReportRow>();
  #decisions = 0;

  constructor(choices: ReadonlyMap<string, unknown> = new Map()) {
    this.#choices = choices;
    this.#unused = new Set(choices.keys());
  }

  add(outcome: Became, path: string, reason: string): void {
    const single = outcome === 'decide' && this.#decisions < MAX_DECISIONS;
    if (outcome === 'decide') this.#decisions += 1;
    const pattern = single ? path : patternOf(path);
    const row = this.#rows.get(`${outcome}\n${pattern}\n${reason}`);
    if (row) row.count += 1;
    else if (single || this.#rows.size < MAX_ROWS)
      this.#rows.set(`${outcome}\n${pattern}\n${reason}`, {
        outcome,
        path: pattern,
        reason,
        count: 1,
        first: path,
      });
    else this.#addAround(outcome, aroundOf(pattern), path);
  }

  #addAround(outcome: Became, around: string, path: string): void {
    const row = this.#rows.get(`${outcome}\n${around}`);
    if (row) row.count += 1;
    else
      this.#rows.set(`${outcome}\n${around}`, { outcome, path: around, reason: MANY, count: 1, first: path });
  }

  /** Returns the operator's choice for a path or a pattern. */
  choice(path: string): unknown {
    const key = [path, patternOf(path)].find((candidate) => this.#choices.has(candidate));
    if (key === undefined) return undefined;
    this.#unused.delete(key);
    return this.#choices.get(key);
  }

  /** Returns the operator's decision. `undefined`: not decided. `null`: left out. */
  decide<Value>(
    path: string,
    question: string,
    read: (answer: unknown) => Value | undefined,
  ): Value | null | undefined {
    const answer = this.choice(path);
    if (answer === LEAVE_OUT) {
      this.add('left out', path, `${question}: left out as chosen`);
      return null;
    }
    const value = answer === undefined ? undefined : read(answer);
    if (value === undefined) {
      const wrong = answer === undefined ? '' : `; the choice is invalid: ${JSON.stringify(answer)}`;
      this.add('decide', path, `${question}${wrong}`);
    } else this.add('changed', path, `${question}: as chosen`);
    return value;
  }

  /** Returns the rows, sorted by outcome and then in the order of the source. */
  rows(): ReportRow[] {
    const rows = [...this.#rows.values()].map(({ first, ...row }) =>
      row.count === 1 && first !== undefined ? { ...row, path: first } : { ...row, ...(first && { first }) },
    );
    return OUTCOMES.flatMap((outcome) => rows.filter((row) => row.outcome === outcome));
  }

  get undecided(): number {
    return this.#decisions;
  }

  /** Returns the choices that match no question. */
  unusedChoices(): string[] {
    return [...this.#unused];
  }
}

/** Replaces the indexes in a path: users[3].roles[0] → users[].roles[] */
const patternOf = (path: string) => path.replaceAll(/\[\d+\]/g, '[]');
const aroundOf = (path: string) => path.replace(/(?:\.[^.[\]]+|\[[^\]]*\])$/, '.*');

/** Returns the path of a member or of a list item. */
export function pathOf(parent: string, key: string, isItem: boolean): string {
  if (isItem) return `${parent}[${key}]`;
  if (!/^[\w$:/@-]+( [\w$:/@-]+)*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

// An object or list of the source that records which keys were read. A key that was read is `carried` unless another
// outcome is recorded. A key that was not read is `not looked at`. This makes the report complete.

type Mark = { outcome: Became; reason: string };
type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;

export class Part {
  readonly path: string;
  readonly #values: Values;
  readonly #isList: boolean;
  readonly #notes: Notes;
  readonly #asked = new Set<string>();
  readonly #marks = new Map<string, Mark[]>();
  readonly #parts = new Map<string, Part>();
  /** outcome that applies to the whole object or list */
  #mark: Mark | null = null;

  constructor(value: unknown, path: string, notes: Notes) {
    this.#values = isValues(value) ? value : {};
    this.#isList = Array.isArray(value);
    this.path = path;
    this.#notes = notes;
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  has(key: string): boolean {
    return this.#raw(key) != null;
  }

  /** Returns the path of a key. */
  at(key: string): string {
    return pathOf(this.path, key, this.#isList);
  }

  /** Returns the unchanged value of a key, of any type. All keys below it are recorded as read. */
  value(key: string): unknown {
    this.#asked.add(key);
    return this.#raw(key);
  }

  /** Returns a non-empty text. A number is converted. */
  text(key: string): string | undefined {
    const value = this.#one(key);
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return value === '' ? undefined : value;
    return this.#wrong(key, value, 'is not a text');
  }

  number(key: string): number | undefined {
    const value = this.#one(key);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number)
      ? number
      : this.#wrong(key, value, 'is not a number');
  }

  flag(key: string): boolean | undefined {
    const value = this.#one(key);
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.#wrong(key, value, 'is neither true nor false');
  }

  /** Returns the object or list at this key; empty if it is missing. */
  part(key: string): Part {
    const childPart = this.#parts.get(key);
    if (childPart) return childPart;
    const value = this.#one(key);
    if (value != null && !isValues(value)) this.#wrong(key, value, 'is neither an object nor a list');
    return this.#keep(key, value);
  }

  /** Parses the text at this key as JSON, and returns the object or list. */
  json(key: string): Part {
    const text = this.text(key);
    try {
      return this.#keep(key, text === undefined ? undefined : JSON.parse(text));
    } catch {
      this.say('left out', key, 'is not JSON');
      return this.#keep(key, undefined);
    }
  }

  /** Returns the objects in the list at this key. */
  parts(key: string): Part[] {
    const list = this.part(key);
    return list.keys().map((at) => list.part(at));
  }

  /** Returns the texts in the list at this key. */
  texts(key: string): string[] {
    const list = this.part(key);
    return list.keys().flatMap((at) => list.text(at) ?? []);
  }

  /** Records the outcome of a key. `left out` and `to decide` apply to everything below the key. */
  say(outcome: Became, key: string, reason: string): void {
    this.#asked.add(key);
    if (this.has(key)) this.#marks.set(key, [...(this.#marks.get(key) ?? []), { outcome, reason }]);
  }

  leaveOut(key: string, reason: string): void {
    this.say('left out', key, reason);
  }

  /** Records `left out` for several keys, with one reason. */
  leaveOutAll(keys: readonly string[], reason: string): void {
    for (const key of keys) this.leaveOut(key, reason);
  }

  /** Ignores several keys that matter only to the source. */
  ignoreAll(keys: readonly string[], reason: string): void {
    for (const key of keys) this.say('ignored', key, reason);
  }

  /** Records the outcome of the whole object or list. */
  sayOfAll(outcome: Became, reason: string): void {
    this.#mark = { outcome, reason };
  }

  /** Returns the operator's choice for this key. `undefined`: not decided. `null`: left out. */
  decide<Value>(
    key: string,
    question: string,
    read: (answer: unknown) => Value | undefined,
  ): Value | null | undefined {
    this.#asked.add(key);
    this.#marks.set(key, []);
    return this.#notes.decide(this.at(key), question, read);
  }

  /** Writes the report's rows for this object or list, after all keys were read. */
  note(): void {
    if (this.#mark) {
      this.#notes.add(this.#mark.outcome, this.path, this.#mark.reason);
      if (coversAll(this.#mark)) return;
    }
    for (const key of this.keys()) this.#noteKey(key);
    if (this.keys().length === 0 && !this.#mark && this.path !== '')
      this.#notes.add('carried', this.path, '');
  }

  #noteKey(key: string): void {
    const marks = this.#marks.get(key);
    for (const { outcome, reason } of marks ?? []) this.#notes.add(outcome, this.at(key), reason);
    if (marks?.length === 0 || marks?.some(coversAll)) return;
    const part = this.#parts.get(key);
    if (part) part.note();
    else if (!this.#asked.has(key)) this.#unknown(key, this.#raw(key), this.at(key));
    else this.#carried(this.#raw(key), this.at(key), marks !== undefined);
  }

  /** Reports secrets that were not read as lost, at any depth. */
  #unknown(key: string, value: unknown, path: string): void {
    if (isSecret(key, value)) this.#notes.add('left out', path, LOST_SECRET);
    else this.#notes.add('not looked at', path, '');
    this.#lostSecrets(value, path);
  }

  #lostSecrets(value: unknown, path: string): void {
    if (!isValues(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const at = pathOf(path, key, Array.isArray(value));
      if (isSecret(key, inner)) this.#notes.add('left out', at, LOST_SECRET);
      this.#lostSecrets(inner, at);
    }
  }

  /** Reports the members of a value that was imported as a whole. */
  #carried(value: unknown, path: string, isSaid: boolean): void {
    const isEmpty = !isValues(value) || Object.keys(value).length === 0;
    if (isEmpty) {
      if (!isSaid) this.#notes.add('carried', path, '');
      return;
    }
    for (const [key, inner] of Object.entries(value))
      this.#carried(inner, pathOf(path, key, Array.isArray(value)), false);
  }

  #raw(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #one(key: string): unknown {
    this.#asked.add(key);
    return this.#raw(key);
  }

  #wrong(key: string, value: unknown, reason: string): undefined {
    if (value != null && value !== '') this.say('left out', key, reason);
    return undefined;
  }

  #keep(key: string, value: unknown): Part {
    const childPart = new Part(value, this.at(key), this.#notes);
    this.#parts.set(key, childPart);
    return childPart;
  }
}

const COVERING: readonly Became[] = ['left out', 'decide', 'ignored'];
const coversAll = ({ outcome }: Mark) => COVERING.includes(outcome);

const SECRET_NAME =
  /pass(?:word|wd|phrase|code)?|secret|hash|salt|credential|token|otp|mfa|private_?key|api_?key/i;
const SETTING_NAME = /policy|lifespan|type|algorithm|ur[il]|endpoint|method|expir|action|supported/i;
const LOST_SECRET = 'looks like a secret that this import does not support: it is lost';

/** True if the text looks like a password, a hash or another secret. */
const isSecret = (key: string, value: unknown) =>
  SECRET_NAME.test(key) && !SETTING_NAME.test(key) && typeof value === 'string' && value !== '';
