// The verbs of the command line, as rows of docs/commands.md.
import type { Command, Option } from '../cli/command.ts';
import { COMMANDS } from '../cli/commands.ts';

function typed([name, { type, value, multiple, required }]: [string, Option]): string {
  const text = type === 'string' ? `--${name} ${value ?? 'VALUE'}${multiple ? '…' : ''}` : `--${name}`;
  return required ? text : `[${text}]`;
}

function usageOf({ name, args, options = {} }: Command): string {
  const all = Object.entries(options);
  const required = all.filter(([, option]) => option.required);
  const others = all.filter(([, option]) => !option.required);
  return [name, ...args, ...[...required, ...others].map(typed)].join(' ').replaceAll('|', '\\|');
}

export const verbRows = (): string[][] =>
  COMMANDS.map((command) => [
    `\`${usageOf(command)}\``,
    [command.about, ...(command.notes ? [command.notes.replaceAll('\n', ' ')] : [])].join('. '),
  ]);
