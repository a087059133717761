// The logger. Callers must not log secrets; these names are redacted in case one does.
import { type LevelWithSilent, type Logger, pino } from 'pino';
import { processWide } from './process-wide.ts';

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
