// What became of each thing of the source: the rows of the report, and the choices that were made for those that a
// converter cannot decide. Equal rows of a list are one row that says how many they are.

export const OUTCOMES = ['decide', 'left out', 'changed', 'not looked at', 'carried', 'ignored'] as const;
export type Became = (typeof OUTCOMES)[number];

/** `path`: of the one, or with `[]` of all of them; `first`: of the first of several. */
export type ReportRow = { outcome: Became; path: string; reason: string; count: number; first?: string };

/** From here on, rows of one kind are told by what they are in, for every reason: it may have a person's text. */
const MAX_ROWS = 20_000;
const MAX_DECISIONS = 1_000;
const MANY = 'for several reasons: the report has too many rows to tell them';

/** What is chosen for a thing that is not wanted. */
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

  /** What was chosen for this path, or for all of its kind. */
  choice(path: string): unknown {
    const key = [path, patternOf(path)].find((one) => this.#choices.has(one));
    if (key === undefined) return undefined;
    this.#unused.delete(key);
    return this.#choices.get(key);
  }

  /** Undefined: it is still to be chosen. Null: it is left out. */
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
      const wrong = answer === undefined ? '' : `; what was chosen does not fit: ${JSON.stringify(answer)}`;
      this.add('decide', path, `${question}${wrong}`);
    } else this.add('changed', path, `${question}: as chosen`);
    return value;
  }

  /** In the order of the outcomes, and of the source. */
  rows(): ReportRow[] {
    const rows = [...this.#rows.values()].map(({ first, ...row }) =>
      row.count === 1 && first !== undefined ? { ...row, path: first } : { ...row, ...(first && { first }) },
    );
    return OUTCOMES.flatMap((outcome) => rows.filter((row) => row.outcome === outcome));
  }

  get undecided(): number {
    return this.#decisions;
  }

  /** Choices that nothing asked for. */
  unused(): string[] {
    return [...this.#unused];
  }
}

/** users[3].roles[0] → users[].roles[] */
const patternOf = (path: string) => path.replaceAll(/\[\d+\]/g, '[]');
const aroundOf = (path: string) => path.replace(/(?:\.[^.[\]]+|\[[^\]]*\])$/, '.*');

/** The path of a member, or of an item. */
export function pathOf(parent: string, key: string, isItem: boolean): string {
  if (isItem) return `${parent}[${key}]`;
  if (!/^[\w$:/@-]+( [\w$:/@-]+)*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}
