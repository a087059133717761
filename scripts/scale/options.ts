// Options of `npm run scale`; each default names its source.
import { parseArgs } from 'node:util';

type Option = { value: number; said: string };

const OPTIONS = {
  people: { value: 2e8, said: 'people with a living sign-in each' },
  refreshes: { value: 2e4, said: 'refreshes a second' },
  'cpu-ms': {
    value: 0.2,
    said: 'PostgreSQL CPU of a refresh: 0.16 to 0.20 were measured (docs/operate/scale.md)',
  },
  cores: { value: 8, said: 'cores of a primary' },
  utilisation: { value: 0.5, said: 'of which this much may be busy' },
  'disk-tb': { value: 16, said: 'disk of a primary, TB' },
  filled: { value: 0.7, said: 'of which this much may be full' },
  'family-days': { value: 90, said: 'refresh_family_ttl: used tokens are kept until their family ends' },
  'audit-days': { value: 365, said: 'AUDIT_RETENTION_DAYS' },
  'session-hours': { value: 12, said: 'SESSION_MAX' },
} as const satisfies Record<string, Option>;

export type Options = Record<keyof typeof OPTIONS, number>;

export const DEFAULTS = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, { value }]) => [name, value]),
) as Options;

/** Parses the options. Throws an error that names the option unless its value is a positive number. */
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
    if (!Number.isFinite(number) || number <= 0) throw new Error(`--${name} must be a number above zero`);
    if (['people', 'cores'].includes(name) && !Number.isSafeInteger(number))
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
