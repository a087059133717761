// The operator's command line: finds the command, checks its arguments, and runs it. Exit status 0: success. 1: the
// command failed, and standard error contains one readable line. 2: wrong usage.
import { parseArgs } from 'node:util';
import { nearest } from '#lib/kit/text.ts';
import { COMMIT, checkedOutCommit, VERSION } from '#lib/kit/version.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { environment, takeSecretFiles } from '#lib/settings/environment.ts';
import { type Command, type Input, type Option, optionUsage, print, toggle, usageOf } from './command.ts';
import { COMMANDS } from './commands.ts';
import { explain, withDatabase } from './database.ts';
import { PROGRAM } from './program.ts';
import { type Elsewhere, hostService, remoteService, takeRemote } from './service.ts';
import { credentialsOf } from './sign-in-kept.ts';
import { WrongUsage } from './typed.ts';

/** Hints for wrong usage, keyed by the error code of Node's parser. */
const HINTS: Record<string, string> = {
  ERR_PARSE_ARGS_UNKNOWN_OPTION: '; write a value that begins with - after --',
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE: '; write a value that begins with - as --option=-value',
};
/** Names that other programs use for a command, each with its name in Gatehouse. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ plan: 'apply FILE --dry-run', diff: 'apply FILE --dry-run', validate: 'apply FILE --dry-run' },
  ...{ status: 'doctor', check: 'doctor', serve: 'start', version: '--version' },
};
const HELP = toggle('this text', 'h');
const ELSEWHERE = `For another service: --server URL --token TOKEN (or GATEHOUSE_SERVER, GATEHOUSE_TOKEN), with a token of its management API. Without a token, you act as the person who signed in with ${PROGRAM} login.`;
const SIGN_IN = 'For the service at --server URL, or at GATEHOUSE_SERVER.';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
const status = await main(process.argv.slice(2));
// Exits explicitly after the output is flushed, because the exit hook of the embedded database would set every status
// to 0.
process.stdout.write('', () => process.stderr.write('', () => process.exit(status)));

async function main(argv: string[]): Promise<number> {
  let command: Command | undefined;
  try {
    if (argv[0] === '--version') return showVersion();
    takeSecretFiles();
    const { rest, elsewhere, asked } = takeRemote(argv, environment());
    const matchedCommand = find(rest);
    command = matchedCommand;
    if (!matchedCommand) return overview(rest);
    const { input, help } = read(
      matchedCommand,
      rest.slice(matchedCommand.name.split(' ').length),
      elsewhere,
    );
    if (help) return showHelp(matchedCommand);
    const { server, token } = elsewhere;
    if (server !== null && matchedCommand.remote) {
      const credentials = await credentialsOf(server, token);
      return Number(
        (await matchedCommand.run({ ...input, service: remoteService({ server, credentials }) })) ?? 0,
      );
    }
    if (asked && !matchedCommand.signsIn)
      throw new WrongUsage(`${matchedCommand.name} works only on the host of the service`);
    return await withDatabase(matchedCommand.needs, async () =>
      Number((await matchedCommand.run(input)) ?? 0),
    );
  } catch (error) {
    if (error instanceof WrongUsage) {
      const where = command ? `${PROGRAM} ${command.name} --help` : `${PROGRAM} --help`;
      process.stderr.write(`${error.message} (see ${where})\n`);
      return 2;
    }
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

function find(argv: string[]): Command | undefined {
  return COMMANDS.find((command) => command.name.split(' ').every((word, at) => argv[at] === word));
}

function read(command: Command, rest: string[], elsewhere: Elsewhere): { input: Input; help: boolean } {
  const options = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([name, { type, multiple, short }]) => [
      name,
      { type, ...(multiple ? { multiple } : {}), ...(short ? { short } : {}) },
    ]),
  );
  const { values, positionals } = parse(rest, { ...options, help: { type: 'boolean', short: 'h' } });
  const help = values.help === true;
  // `EMAIL…`: any number of arguments
  const some = command.args.at(-1)?.endsWith('…') ?? false;
  if (!help && !some && positionals.length !== command.args.length) {
    const wanted = command.args.length === 0 ? 'nothing' : command.args.join(' ');
    throw new WrongUsage(`${command.name} takes ${wanted}`);
  }
  const missing = Object.entries(command.options ?? {}).find(
    ([name, { required }]) => required && !help && values[name] === undefined,
  );
  if (missing) throw new WrongUsage(`--${missing[0]} is missing: ${missing[1].about}`);
  const text = (name: string) => values[name] as string | undefined;
  const input: Input = {
    args: positionals,
    text,
    texts: (name) => (values[name] as string[] | undefined) ?? [],
    flag: (name) => values[name] === true,
    service: hostService(),
    elsewhere,
  };
  return { input, help };
}

function parse(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    return parseArgs({ args, options: options ?? {}, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = ownValue(HINTS, code ?? '') ?? '';
    throw new WrongUsage(`${message.split(/\.\s/)[0]}${hint}`);
  }
}

/** Returns the option as the help shows it: `-f, --name VALUE`. */
function optionText([name, option]: [string, Option]): string {
  return `${option.short ? `-${option.short}, ` : ''}${optionUsage(name, option)}`;
}

function showHelp(command: Command): number {
  const commandOptions = Object.entries<Option>(command.options ?? {});
  const required = commandOptions.filter(([, one]) => one.required).map((option) => ` ${optionText(option)}`);
  const more = commandOptions.length > required.length ? ' [options]' : '';
  print(`${PROGRAM} ${usageOf(command)}${required.join('')}${more}\n\n${command.about}`);
  const options = [...commandOptions, ['help', HELP] as [string, Option]];
  const names = options.map(optionText);
  const width = Math.max(...names.map((name) => name.length));
  print('');
  for (const [at, [, option]] of options.entries())
    print(`  ${(names[at] ?? '').padEnd(width)}  ${option.about}`);
  if (command.notes) print(`\n${command.notes}`);
  if (command.remote) print(`\n${ELSEWHERE}`);
  if (command.signsIn) print(`\n${SIGN_IN}`);
  return 0;
}

function showVersion(): number {
  const commit = COMMIT ?? checkedOutCommit(import.meta.dirname);
  print(`gatehouse ${VERSION}${commit === null ? '' : ` (${commit})`}`);
  return 0;
}

function suggestion([word = '']: string[]): string {
  const names = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))];
  const meant = ownValue(OTHER_NAMES, word) ?? nearest(word, names);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

/**
 * Prints all commands, or those that begin with the typed word. The exit status is 0 if help was requested, otherwise
 * 2 (wrong usage).
 */
function overview(argv: string[]): number {
  const isHelpRequest =
    argv.length === 0 || argv.some((word) => word === '--help' || word === '-h') || argv[0] === 'help';
  const group = COMMANDS.filter((command) => command.name.startsWith(`${argv[0]} `));
  if (!isHelpRequest && group.length === 0)
    throw new WrongUsage(`unknown command ${argv.join(' ')}${suggestion(argv)}`);
  const lines = (group.length > 0 ? group : COMMANDS).map(
    (command) => [usageOf(command), command.about] as const,
  );
  const width = Math.max(...lines.map(([usage]) => usage.length));
  const text = lines.map(([usage, about]) => `  ${usage.padEnd(width)}  ${about}`).join('\n');
  const wrong = isHelpRequest || argv.length === 1 ? '' : `unknown command ${argv.slice(0, 2).join(' ')}\n\n`;
  const page = `${wrong}${PROGRAM} VERB …, --help on each\n\n${text}\n`;
  (isHelpRequest ? process.stdout : process.stderr).write(page);
  return isHelpRequest && argv.length > 0 ? 0 : 2;
}
