// The append-only ledger of every request: when it was sent, with which content, and its response. Each line is
// written at once to a file next to the service's logs; tokens are stored only as digests. The invariants are checked
// against the ledger.
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

export type Kind =
  | 'password'
  | 'refresh'
  | 'redeem'
  | 'revoke'
  | 'introspect'
  | 'authorize'
  | 'health'
  | 'other';

export type Entry = {
  kind: Kind;
  /** URL of the instance that received the request */
  at?: string;
  /** start in milliseconds, measured by one clock for all requests */
  began: number;
  ended: number;
  /** digest of the presented code or token */
  presented?: string;
  /** digest of the refresh token in the response */
  given?: string;
  family?: string;
  /** status of the response; 0: no response */
  status: number;
  error?: string;
  /** introspection */
  active?: boolean;
  /** body of a response with status 500 or above */
  body?: string;
  /** true: the test expected this rejection */
  expected?: true;
};

export const digest = (value: string) => createHash('sha256').update(value).digest('hex');

export class Ledger {
  /** entries since the last call of `forget`, which the invariants check */
  entries: Entry[] = [];
  readonly #all: Entry[] = [];
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  append(entry: Entry): void {
    this.entries.push(Object.freeze(entry));
    this.#all.push(entry);
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /** Makes the invariants ignore earlier entries, because the database was replaced. */
  forget(): void {
    this.entries = [];
  }

  get length(): number {
    return this.#all.length;
  }

  /** Returns the numbers of responses by kind, such as `200: 12, 503 temporarily_unavailable: 3, no answer: 1`. */
  answers(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, error } of this.#all) {
      const name = status === 0 ? 'no answer' : error === undefined ? String(status) : `${status} ${error}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  close(): void {
    closeSync(this.#file);
  }
}
