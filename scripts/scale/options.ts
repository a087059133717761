// What `npm run scale` takes, and where each default comes from.
import { parseArgs } from 'node:util';

type Option = { value: number; said: string };

const OPTIONS = {
  people: { value: 1e9, said: 'people with a living sign-in each' },
  refreshes: { value: 1e5, said: 'refreshes a second' },
  skew: { value: 0.8, said: 'Zipf: 0 is even, 1 gives the first of 10^9 people 5 % of all' },
  seed: { value: 1, said: 'another one deals the same people to other slots' },
  'statement-ms': {
    value: 0.194,
    said: 'PostgreSQL CPU of a statement: 0.28 ms alone and 0.105 of ten (0012)',
  },
  'row-ms': { value: 0.086, said: 'and of each refresh in it' },
  processes: {
    value: 64,
    said: 'processes of the service; one serves 3,259 refreshes a second (performance.md)',
  },
  'wait-ms': { value: 5, said: 'how long refreshes gather: a statement’s round trip under load' },
  cores: { value: 8, said: 'cores of a shard' },
  utilisation: { value: 0.5, said: 'of which this much may be busy on the hottest shard' },
  'disk-tb': { value: 16, said: 'disk of a shard, TB' },
  filled: { value: 0.7, said: 'of which this much may be full' },
  'family-days': { value: 90, said: 'refresh_family_ttl: used tokens are kept until their family ends' },
  'audit-days': { value: 365, said: 'AUDIT_RETENTION_DAYS' },
  'session-hours': { value: 12, said: 'SESSION_MAX' },
  add: { value: 0, said: 'shards that are added; 0: an eighth of what there is' },
  'copy-mb': { value: 200, said: 'MB a second that a shard can send or take while it serves' },
} as const satisfies Record<string, Option>;

export type Options = Record<keyof typeof OPTIONS, number>;

export const DEFAULTS = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, { value }]) => [name, value]),
) as Options;

/** An Error that names the option where one is not a number above zero; `skew`, `seed` and `add` may be zero. */
export function readOptions(args: string[]): Options | 'help' {
  const names = Object.keys(OPTIONS) as (keyof Options)[];
  const { values }: { values: Record<string, unknown> } = parseArgs({
    args,
    options: {
      help: { type: 'boolean' },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  });
  if (values['help']) return 'help';
  const read = names.map((name) => {
    const text = values[name];
    if (text === undefined) return [name, OPTIONS[name].value] as const;
    const number = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
    const mayBeZero = ['skew', 'seed', 'add'].includes(name);
    if (!Number.isFinite(number) || number < 0 || (number === 0 && !mayBeZero))
      throw new Error(`--${name} must be a number${mayBeZero ? '' : ' above zero'}`);
    if (['people', 'processes', 'seed', 'add'].includes(name) && !Number.isSafeInteger(number))
      throw new Error(`--${name} must be a whole number`);
    return [name, number] as const;
  });
  return Object.fromEntries(read) as Options;
}

export const usage = (): string =>
  [
    'npm run scale [-- --NAME NUMBER …]',
    '',
    ...Object.entries(OPTIONS).map(
      ([name, { value, said }]) => `  --${name.padEnd(14)} ${String(value).padEnd(11)} ${said}`,
    ),
  ].join('\n');
