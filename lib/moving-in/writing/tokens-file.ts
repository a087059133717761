// Takes refresh tokens one at a time, each as the line of tokens.jsonl that `people import` reads.
import { readTokenLine, type TokenLine } from '../people/token-line.ts';
import type { Part } from '../reading/part.ts';

export type TakeToken = (part: Part, line: TokenLine) => Promise<void>;

/** `write`: a line with its line break. */
export class TokenTaker {
  readonly #write: (line: string) => Promise<void>;
  count = 0;

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Writes the rows of the part, too. */
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
