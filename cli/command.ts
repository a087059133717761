// A verb of the command line: its name, options and action. main.ts finds, checks and runs it.
import { utcMinute } from '#lib/kit/clock.ts';
import { LIST_ORDERS, type ListName } from '#lib/management/lists.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import type { Elsewhere, Json, Service } from './service.ts';

export type Option = {
  type: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  /** what follows it in the help; default: VALUE */
  value?: string;
  required?: boolean;
  about: string;
};
export type Input = {
  args: string[];
  text(name: string): string | undefined;
  texts(name: string): string[];
  flag(name: string): boolean;
  /** local management API, or the `--server` host's API */
  service: Service;
  /** `--server` and `--token` values, from options or environment */
  elsewhere: Elsewhere;
};
type Extras = {
  options?: Record<string, Option>;
  /** more to read under --help */
  notes?: string;
  /** command also supports `--server` */
  remote?: boolean;
  /** command manages sign-ins to a remote server; no local service */
  signsIn?: boolean;
  /** what it needs before it starts */
  needs: 'migrated' | 'database' | 'nothing';
};
export type Command = Extras & {
  /** as typed: `user create` */
  name: string;
  args: string[];
  about: string;
  /** a number it returns is the exit status */
  run(input: Input): Promise<unknown>;
};

/** `usage`: the verb, then its arguments in capitals: `user create EMAIL`. */
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

/** Command plus its typed arguments. */
export const usageOf = ({ name, args }: Command): string => [name, ...args].join(' ');

/** Option with its placeholder: `--name VALUE`. */
export const optionUsage = (name: string, { type, value }: Option): string =>
  type === 'string' ? `--${name} ${value ?? 'VALUE'}` : `--${name}`;

/** An option with a value. */
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
 * Command that prints a table with these columns (row fields, or values computed from rows). `--json` prints the rows.
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
 * Command that lists a management API collection: complete, or one page with `--limit` or `--cursor`. Supports
 * `--server`.
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
    const asked = { order: text('order'), limit: text('limit'), cursor: text('cursor') };
    const { rows, next, previous } = await service.list(list.path, asked);
    for (const [name, cursor] of Object.entries({ previous, next }))
      if (cursor !== null) process.stderr.write(`${name} page: --cursor=${cursor}\n`);
    return rows;
  };
  return listVerb(usage, about, columns, rowsOf, { options, remote: true });
}

/** Creates `disable` and `enable` commands for clients or users. */
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

/** Aligned columns; the last is not padded. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  for (const row of [head, ...rows])
    print(
      row
        .map((one, at) => one.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** RFC 3339 §5.6: time format of the management API. `--json` prints it unchanged. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Prints `-` for empty values and times like `doctor`: `2026-11-29 02:05 UTC`. */
function cell(value: unknown): string {
  if (Array.isArray(value)) return value.join(',') || '-';
  if (typeof value === 'string' && INSTANT.test(value)) return utcMinute(new Date(value));
  // a name in several languages
  const text = typeof value === 'object' && value !== null ? plainText(value as DisplayText) : value;
  return String(text ?? '') || '-';
}
