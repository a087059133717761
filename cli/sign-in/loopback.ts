// Where the browser brings the answer back: a port of 127.0.0.1 (RFC 8252 §7.3), open for one sign-in. Any program of
// this machine can call it, and any page of the browser: only what has this sign-in's state is its answer.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { CommandFailed } from '../typed.ts';
import { answerPage, type Outcome } from './answer-page.ts';

const HOST = '127.0.0.1';
/** What the client has registered is this address without a port. */
export const REDIRECT_URI = `http://${HOST}/callback`;

/** The address that the browser came with; `finish` shows it how that ended. */
export type LoopbackAnswer = { url: URL; finish(outcome: Outcome): Promise<void> };

export type Loopback = {
  redirectUri: string;
  /** the one with this state; `onStranger` hears of every other */
  answer(state: string, onStranger: () => void): Promise<LoopbackAnswer>;
  close(): void;
};

/** `port`: 0, or one that a tunnel leads to. */
export async function openLoopback(port: number): Promise<Loopback> {
  let take: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown = (_, outgoing) =>
    outgoing.writeHead(404).end();
  const server = createServer({ maxHeaderSize: 16_384 }, (incoming, outgoing) => take(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailed(`port ${port} of ${HOST} can not be opened (${code}): name another, or none`);
  });
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const redirectUri = origin + new URL(REDIRECT_URI).pathname;
  return {
    redirectUri,
    answer: (state, onStranger) =>
      new Promise((resolve) => {
        let isTaken = false;
        take = (incoming, outgoing) => {
          const language = incoming.headers['accept-language'];
          const url = answerIn(incoming, redirectUri);
          if (url === null) return outgoing.writeHead(404).end();
          if (isTaken || !hasState(url, state)) {
            if (!isTaken) onStranger();
            return show(outgoing, 'stranger', language);
          }
          isTaken = true;
          resolve({ url, finish: (outcome) => show(outgoing, outcome, language) });
        };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Null: it is for another address. A name that leads here from elsewhere (DNS rebinding) is another, too. */
function answerIn({ method, url = '', headers }: IncomingMessage, redirectUri: string): URL | null {
  const { host, pathname } = new URL(redirectUri);
  const called = method === 'GET' && headers.host === host ? URL.parse(url, redirectUri) : null;
  return called?.host === host && called.pathname === pathname ? called : null;
}

function hasState({ searchParams }: URL, state: string): boolean {
  const [only, ...more] = searchParams.getAll('state');
  return only !== undefined && more.length === 0 && equalDigests(sha256(only), sha256(state));
}

const PATIENCE_MS = 2_000;
const STATUS = { done: 200, failed: 200, stranger: 400 } as const;

/** Resolves once it has left; a browser that does not read it is not waited for. */
async function show(
  outgoing: ServerResponse,
  outcome: Outcome,
  acceptLanguage: string | undefined,
): Promise<void> {
  const { page, headers } = answerPage(outcome, acceptLanguage);
  if (outgoing.destroyed) return;
  const left = once(outgoing, 'close');
  outgoing.writeHead(STATUS[outcome], { ...headers, connection: 'close' }).end(page);
  await Promise.race([left, sleep(PATIENCE_MS, undefined, { ref: false })]);
}
