// Logger. Callers must not log secrets. As a safeguard, members with names of secrets are redacted.
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
/** The function that replaces credentials inside a text. */
const redactor = processWide<(text: string) => string>('redactor');
const redact = (text: string) => redactor.value?.(text) ?? text;

/** The logger of the process, which all of its code shares. */
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

/** Adds the worker’s number to every later log line of this process. */
export function nameWorker(worker: number): void {
  slot.value = log().child({ worker });
}

const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Redirects console lines of Next, Node and other libraries to this log. `redactText` replaces credentials inside
 * texts and errors. Members of objects are also redacted by name.
 */
export function logConsole(redactText: (text: string) => string): void {
  redactor.value = redactText;
  for (const [name, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, Logger['level']][])
    console[name] = (...printed: unknown[]) => {
      const err = printed.find((value) => value instanceof Error);
      const text = format(
        ...printed.map((value) => (value instanceof Error ? value.message : withoutSecrets(value))),
      );
      const line = redact(stripVTControlCharacters(text).trim());
      if (line !== '' || err)
        log()[level as 'info'](err ? { err } : {}, line || 'an error without a message');
    };
  // Node's own listener would print the warning, too
  process.removeAllListeners('warning');
  process.on('warning', (err) => log().warn({ err }, 'a warning of Node'));
}

/** Names of members that contain a secret, such as `smtpPassword`, `METRICS_TOKEN`, `set-cookie`. */
const SECRET_NAME =
  /(?:pass(?:word|wd|phrase)?|secret|token|authorization|cookie|credential|api[-_]?key|private[-_]?key|verifier|assertion|dpop)s?$|^code$/i;
/**
 * Error codes of the system, Node, undici and Prisma, such as `ECONNREFUSED`. A `code` of this form is not a secret.
 */
const SYSTEM_CODE = /^(?:E[A-Z0-9]{2,}|(?:UND_)?ERR_[A-Z0-9_]+|P\d{4})$/;
const DEEPEST = 6;

/** Returns a copy of plain lists and objects that can be printed. It calls no method of a library's class. */
function withoutSecrets(value: unknown, above: readonly object[] = []): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  if (above.length >= DEEPEST) return '[object]';
  const inside = (member: unknown) => withoutSecrets(member, [...above, value]);
  if (value instanceof Error) return inside(plainError(value));
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set) return [...value].map(inside);
  const members = value instanceof Map || value instanceof Headers ? [...value] : Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [
      redact(String(name)),
      isSecret(String(name), member) ? '[redacted]' : inside(member),
    ]),
  );
}

const isSecret = (name: string, member: unknown): boolean =>
  SECRET_NAME.test(name) &&
  member !== null &&
  member !== undefined &&
  typeof member !== 'boolean' &&
  !(name === 'code' && typeof member === 'string' && SYSTEM_CODE.test(member));

/**
 * Copies only name, message, code and stack of an error, because libraries attach other values to errors, such as
 * passwords.
 */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return {
    name,
    message: redact(message),
    // the member is not named `code`, because that name is redacted
    fault: 'code' in error ? error.code : undefined,
    stack: stack && redact(stack),
    ...(error.cause === undefined ? {} : { cause: plainError(error.cause) }),
  };
}
