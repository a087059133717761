// Asking the servers of a directory in their order. One that did not answer is asked last for a while, and connections
// of the account that searches are used again.
import { createHash } from 'node:crypto';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { withBreaker } from '#lib/outbound/breaker.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { isSilent, meaningOf, WrongResult } from './answers.ts';
import { Connection } from './connection.ts';
import type { Directory, Server } from './directory.ts';

const ASIDE_MILLISECONDS = 10_000;
const MAX_MILLISECONDS = 5_000;
const IDLE_MILLISECONDS = 30_000;
const MOST_IDLE = 4;

type Idle = { connection: Connection; timer: NodeJS.Timeout };
// one for the process, shared by both doors
const aside = processWide<Map<string, number>>('ldap-aside');
const idle = processWide<Map<string, Idle[]>>('ldap-idle');

/** An answer that lets no one in. The message is fixed: it goes to the log. */
export class NoVerdict extends Error {
  override name = 'NoVerdict';
}

/** Only fixed words: what a server says may name people. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoVerdict || error instanceof WrongResult) return error.message;
  if (!(error instanceof OutboundFailed)) throw error;
  const { reason, cause } = error;
  return reason === 'bad-answer' && cause instanceof Error ? cause.message : reason;
}

/** A server to ask: the searcher's connection, and connections of people's own. */
export type At = {
  /** names the server; null: nothing of it is kept */
  key: string | null;
  searching: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** the connection ends with the work */
  alone: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
};

/** Runs the work at the first server that answers. Rejects with what the last one failed with. */
export async function atServers<T>(directory: Directory, work: (at: At) => Promise<T>): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new OutboundFailed('timeout')), MAX_MILLISECONDS);
  let isLate = false;
  deadline.promise.catch(() => {
    isLate = true;
  });
  const ask = async (): Promise<T> => {
    let failure: unknown = new OutboundFailed('unreachable');
    for (const server of inOrder(directory)) {
      if (isLate) break;
      const key = keyOf(directory, server);
      try {
        return await withBreaker(key, () => work(atServer(directory, server)));
      } catch (error) {
        failure = error;
        if (!isSilent(error)) throw error;
        aside.value ??= new Map();
        aside.value.set(key, now().getTime() + ASIDE_MILLISECONDS);
      }
    }
    throw failure;
  };
  try {
    return await Promise.race([ask(), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const keyOf = (directory: Directory, server: Server) => `${directory.methodId} ${server.url}`;

function inOrder(directory: Directory): Server[] {
  const waits = (server: Server) => (aside.value?.get(keyOf(directory, server)) ?? 0) > now().getTime();
  return [...directory.servers].sort((a, b) => Number(waits(a)) - Number(waits(b)));
}

function atServer(directory: Directory, server: Server): At {
  return {
    key: keyOf(directory, server),
    searching: (work) => searching(directory, server, work),
    alone: (work) => alone(directory, server, work),
  };
}

/** Each connection is a new one, and ends with its work. */
export const triedAt = (directory: Directory, server: Server): At => ({
  key: null,
  searching: (work) =>
    alone(directory, server, async (connection) => {
      await bindSearcher(directory, connection);
      return work(connection);
    }),
  alone: (work) => alone(directory, server, work),
});

const openTo = (directory: Directory, server: Server) =>
  Connection.open(server, directory, directory.timeoutMs);

async function alone<T>(
  directory: Directory,
  server: Server,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await openTo(directory, server);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

async function searching<T>(
  directory: Directory,
  server: Server,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const key = poolKey(directory, server);
  const used = takeIdle(key);
  if (used) {
    try {
      return await lending(key, used, work);
    } catch (error) {
      // it was closed since it was used last: a new one tells whether the server is there
      if (!(error instanceof OutboundFailed) || error.reason !== 'unreachable') throw error;
    }
  }
  const connection = await openTo(directory, server);
  try {
    await bindSearcher(directory, connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return lending(key, connection, work);
}

async function bindSearcher({ searcher }: Directory, connection: Connection): Promise<void> {
  if (searcher === null) return;
  if (!searcher.password) throw new NoVerdict('bind_password is missing');
  const answer = await connection.bindSearcher(searcher.dn, searcher.password);
  const meaning = meaningOf(answer);
  if (meaning.kind === 'bound') return;
  if (meaning.kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  throw new NoVerdict(`bind_dn or bind_password is not accepted (${meaning.reason})`);
}

/** What ends it, ends its use. */
async function lending<T>(
  key: string,
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await work(connection);
  } finally {
    putIdle(key, connection);
  }
}

/** Another password, authority or address is another connection. */
function poolKey(
  { methodId, searcher, ca, startTls, allowPrivateNetwork }: Directory,
  server: Server,
): string {
  const facts = JSON.stringify([methodId, server.url, searcher, ca, startTls, allowPrivateNetwork]);
  return createHash('sha256').update(facts).digest('base64url');
}

function takeIdle(key: string): Connection | null {
  const waiting = idle.value?.get(key) ?? [];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    clearTimeout(one.timer);
    if (!one.connection.isOpen) continue;
    one.connection.rest(false);
    return one.connection;
  }
  return null;
}

function putIdle(key: string, connection: Connection): void {
  idle.value ??= new Map();
  const waiting = idle.value.get(key) ?? [];
  if (!connection.isOpen || waiting.length >= MOST_IDLE) {
    connection.close();
    return;
  }
  connection.rest(true);
  const timer = setTimeout(() => {
    connection.close();
    const left = (idle.value?.get(key) ?? []).filter((one) => one.connection !== connection);
    if (left.length === 0) idle.value?.delete(key);
    else idle.value?.set(key, left);
  }, IDLE_MILLISECONDS);
  timer.unref();
  idle.value.set(key, [...waiting, { connection, timer }]);
}
