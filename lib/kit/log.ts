// The logger. Secrets never get here: callers log facts, and these paths are redacted in case one forgets.
import { type Logger, pino } from 'pino';
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

/** One logger a process, shared by both doors. */
export function log(): Logger {
  slot.value ??= pino(
    { redact: { paths: REDACTED, censor: '[redacted]' }, base: null, serializers: { err: plainError } },
    pino.destination(2),
  );
  return slot.value;
}

export function setLogLevel(level: string): void {
  log().level = level;
}

/** Name, message, code and stack, and nothing else that somebody may have hung on an error. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message,
    // not `code`: that is redacted
    fault: code,
    stack,
    ...(error.cause === undefined ? {} : { cause: plainError(error.cause) }),
  };
}
