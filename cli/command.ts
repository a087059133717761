// A verb of the command line: its words, its options, what it does. main.ts finds, checks and runs it.
import type { Service } from './service.ts';
import { WrongUsage } from './wrong-usage.ts';

export { WrongUsage };

export type Option = {
  type: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  /** what stands after it, in the help; default: VALUE */
  value?: string;
  required?: boolean;
  about: string;
};
export type Input = {
  args: string[];
  text(name: string): string | undefined;
  texts(name: string): string[];
  flag(name: string): boolean;
  /** here, or elsewhere */
  service: Service;
};
export type Command = {
  /** as typed: `user create` */
  name: string;
  args: string[];
  about: string;
  options?: Record<string, Option>;
  /** more to read under --help */
  notes?: string;
  /** works at a service elsewhere too, with --server */
  remote?: boolean;
  /** what it needs before it starts */
  needs: 'migrated' | 'database' | 'nothing';
  /** a number it answers is the exit status */
  run(input: Input): Promise<unknown>;
};

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Aligned columns; the last is not padded. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  for (const row of [head, ...rows]) print(line(row));
}

/** A column's text: `-` for nothing. */
export const cell = (value: unknown): string =>
  (Array.isArray(value) ? value.join(',') : String(value ?? '')) || '-';

export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${what} must be a whole number`);
  return Number(text);
}
