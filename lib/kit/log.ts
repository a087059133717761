// The logger. Callers must not log secrets; these names are redacted in case one does.
import { format, stripVTControlCharacters } from 'node:util';
import { type LevelWithSilent, type Logger, pino } from 'pino';
import { processWide } from './process.ts';

const REDACTED = [
  'password',
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'authorization',
  'cookie',
].flatMap((name) => [name, `*.${name}`]);

const slot = processWide<Logger>('log');

/** One logger for the process, shared by both doors. */
export function log(): Logger {
  slot.value ??= pino(
    { redact: { paths: REDACTED, censor: '[redacted]' }, base: null, serializers: { err: plainError } },
    pino.destination(2),
  );
  return slot.value;
}

export function setLogLevel(level: LevelWithSilent): void {
  log().level = level;
}

/** From here on every line of this process carries the worker's number. */
export function nameWorker(worker: number): void {
  slot.value = log().child({ worker });
}

const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/** Next, other libraries and Node print lines of their own: each becomes a line of this log. */
export function logConsole(): void {
  for (const [name, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, Logger['level']][])
    console[name] = (...printed: unknown[]) => {
      const err = printed.find((one) => one instanceof Error);
      const text = format(...printed.map((one) => (one instanceof Error ? one.message : one)));
      const line = stripVTControlCharacters(text).trim();
      if (line !== '' || err)
        log()[level as 'info'](err ? { err } : {}, line || 'an error without a message');
    };
  // Node's own listener prints
  process.removeAllListeners('warning');
  process.on('warning', (err) => log().warn({ err }, 'a warning of Node'));
}

/** Name, message, code and stack only: libraries attach other things to errors, such as passwords. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return {
    name,
    message,
    // not named `code`, which is redacted
    fault: 'code' in error ? error.code : undefined,
    stack,
    ...(error.cause === undefined ? {} : { cause: plainError(error.cause) }),
  };
}
