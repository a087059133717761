// A command of the command line: its name, options and action. main.ts finds it, checks its arguments and runs it.
import { utcMinute } from '#lib/kit/clock.ts';
import { LIST_ORDERS, type ListName } from '#lib/management/lists.ts';
import type { Elsewhere, Json, Service } from './service.ts';
import { inText } from './typed.ts';

export type Option = {
  type: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  /** placeholder after the option in the help; default: VALUE */
  value?: string;
  required?: boolean;
  about: string;
};
export type Input = {
  args: string[];
  text(name: string): string | undefined;
  texts(name: string): string[];
  flag(name: string): boolean;
  /** runs the management API in this process, or calls the server that `--server` names */
  service: Service;
  /** values of `--server` and `--token`, from options or environment */
  elsewhere: Elsewhere;
};
type Extras = {
  options?: Record<string, Option>;
  /** further explanations, shown by `--help` */
  notes?: string;
  /** the command also supports `--server` */
  remote?: boolean;
  /** the command manages sign-ins to a remote server, and needs no local service */
  signsIn?: boolean;
  /** state that the command requires: a migrated database, any database, or none */
  needs: 'migrated' | 'database' | 'nothing';
};
export type Command = Extras & {
  /** name of the command, as typed: `user create` */
  name: string;
  args: string[];
  about: string;
  /** runs the command; a returned number becomes the exit status */
  run(input: Input): Promise<unknown>;
};

/** Defines a command. `usage`: its name and its arguments in capital letters: `user create EMAIL`. */
export function verb(
  usage: string,
  about: string,
  run: Command['run'],
  extras: Partial<Extras> = {},
): Command {
  const words = usage.split(' ');
  const isArgument = (word: string) => word === word.toUpperCase();
  const name = words.filter((word) => !isArgument(word)).join(' ');
  return { name, args: words.filter(isArgument), about, needs: 'migrated', ...extras, run };
}

/** Returns the command with its arguments, for the help. */
export const usageOf = ({ name, args }: Command): string => [name, ...args].join(' ');

/** Returns the option with its placeholder: `--name VALUE`. */
export const optionUsage = (name: string, { type, value }: Option): string =>
  type === 'string' ? `--${name} ${value ?? 'VALUE'}` : `--${name}`;

/** Defines an option that requires a value. */
export function option(
  value: string,
  about: string,
  more: Pick<Option, 'multiple' | 'required'> = {},
): Option {
  return { type: 'string', value, about, ...more };
}

export function toggle(about: string, short?: string): Option {
  return { type: 'boolean', about, ...(short && { short }) };
}

export const JSON_FLAG = { json: toggle('print JSON') };

type Columns = Readonly<Record<string, string | ((row: Json) => unknown)>>;

/**
 * Defines a command that prints a table with these columns: fields of the rows, or values computed from a row.
 * `--json` prints the rows.
 */
export function listVerb(
  usage: string,
  about: string,
  columns: Columns,
  rowsOf: (input: Input) => Promise<Json[]>,
  extras: Partial<Extras> = {},
): Command {
  const run = async (input: Input) => {
    const rows = await rowsOf(input);
    if (input.flag('json')) return print(JSON.stringify(rows, null, 2));
    const values = Object.values(columns);
    printTable(
      Object.keys(columns),
      rows.map((row) => values.map((of) => cell(typeof of === 'string' ? row[of] : of(row)))),
    );
  };
  return verb(usage, about, run, { options: JSON_FLAG, ...extras });
}

/**
 * Defines a command that lists a collection of the management API: all rows, or one page with `--limit` or
 * `--cursor`. It supports `--server`.
 */
export function pagedVerb(
  usage: string,
  about: string,
  columns: Columns,
  list: { path: string; orders: ListName },
): Command {
  const [own, ...others] = LIST_ORDERS[list.orders];
  const options = {
    order: option('ORDER', `${own}, the default, or ${others.join(', ')}: --order=${own}`),
    limit: option(
      'N',
      'print only one page with at most this number of rows, up to 200, and how to get the next and previous page',
    ),
    cursor: option('CURSOR', 'the page with this cursor, in the same order'),
    ...JSON_FLAG,
  };
  const rowsOf = async ({ text, service }: Input) => {
    const pageQuery = { order: text('order'), limit: text('limit'), cursor: text('cursor') };
    const { rows, next, previous } = await service.list(list.path, pageQuery);
    for (const [name, cursor] of Object.entries({ previous, next }))
      if (cursor !== null) process.stderr.write(`${name} page: --cursor=${cursor}\n`);
    return rows;
  };
  return listVerb(usage, about, columns, rowsOf, { options, remote: true });
}

/** Creates the commands `disable` and `enable` for clients or users. */
export function switchVerbs(
  what: 'client' | 'user',
  argument: string,
  pathOf: (argument: string | undefined) => string,
  abouts: { disable: string; enable: string },
): Command[] {
  return (['disable', 'enable'] as const).map((action) =>
    verb(
      `${what} ${action} ${argument}`,
      abouts[action],
      async ({ args, service }) => {
        await service.call('POST', `${pathOf(args[0])}/${action}`);
        print(`${action}d ${args[0]}`);
      },
      { remote: true },
    ),
  );
}

export const stateOf = (row: Json) => (row['disabled'] === true ? 'disabled' : 'active');

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints aligned columns; the last column is not padded. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  for (const row of [head, ...rows])
    print(
      row
        .map((cellText, at) => cellText.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/**
 * Matches a time in the format of the management API (RFC 3339 §5.6). Tables reformat such times; `--json` prints
 * them unchanged.
 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Returns the text of a cell: `-` for an empty value, and times in the format of `doctor`: `2026-11-29 02:05 UTC`.
 */
function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(inText).join(',') || '-';
  if (typeof value === 'string' && INSTANT.test(value)) return utcMinute(new Date(value));
  return inText(value) || '-';
}
