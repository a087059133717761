// Returns the commands of the command line, as rows of docs/reference/commands.md.
import { type Command, type Option, optionUsage, usageOf } from '../cli/command.ts';
import { COMMANDS } from '../cli/commands.ts';

function optionText([name, option]: [string, Option]): string {
  const text = `${optionUsage(name, option)}${option.multiple ? '…' : ''}`;
  return option.required ? text : `[${text}]`;
}

/** Returns the usage line with all options, required options first. */
function wholeUsage(command: Command): string {
  const options = Object.entries(command.options ?? {}).toSorted(
    ([, one], [, other]) => Number(other.required ?? false) - Number(one.required ?? false),
  );
  return [usageOf(command), ...options.map(optionText)].join(' ');
}

export const verbRows = (): string[][] =>
  COMMANDS.map((command) => [
    `\`${wholeUsage(command)}\``,
    [command.about, ...(command.notes ? [command.notes.replaceAll('\n', ' ')] : [])].join('. '),
  ]);
