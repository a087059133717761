// Answers malformed and slow requests. The part of the header that could be read only selects the format and language
// of the answer.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ownValue } from '#lib/kit/wire.ts';
import type { Answer, HttpRequest } from './message.ts';
import { STATUS_CODES } from './node-http.ts';

export type MalformedStatus = 400 | 408 | 431;
/** The part of the request that could be read, and an id for the answer. */
export type Malformed = Pick<HttpRequest, 'query' | 'headers' | 'requestId'>;
type Head = Omit<Malformed, 'requestId'>;
export type Refuse = (status: MalformedStatus, head: Head) => Answer;

const STATUS_OF: Record<string, MalformedStatus> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 431,
};

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer | undefined };
type Busy = { _httpMessage?: { headersSent: boolean; req: IncomingMessage } };

/** Answers a request that could not be parsed, unless another answer is being sent on this connection. */
export function refuseMalformed(error: ParserError, socket: Duplex, refuse: Refuse): void {
  const under = (socket as Busy)._httpMessage;
  if (!socket.writable || error.code === 'ECONNRESET' || under?.headersSent) {
    socket.destroy();
    return;
  }
  const head = under ? headOf(under.req) : readHead(error.rawPacket?.toString('latin1') ?? '');
  const { status, headers, body } = refuse(ownValue(STATUS_OF, error.code ?? '') ?? 400, head);
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body as string)) });
  const answer = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${answer}\r\n\r\n${body}`);
}

/** Reads a complete request header. */
export const headOf = ({ url = '', headers }: IncomingMessage): Head => ({
  query: queryOf(url),
  headers: headers as Record<string, string | undefined>,
});

const queryOf = (target: string) => (target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');

/** Header fields that decide between a page and JSON, and that select the language. */
const READ = new Set(['accept', 'accept-language', 'cookie']);
const REQUEST_LINE = /^[A-Z]+ (\S*)/;
/** Matches text that looks like a Cookie header. Browsers send this header last. */
const COOKIES = /[\w.-]=[^;\s]*; ?[\w.-]+=/;

/**
 * Reads the part of the header that could be read. `packet`: the input in which the parser found the error. It
 * contains either a complete header, or only the end of a long header.
 */
function readHead(packet: string): Head {
  const [first = '', ...lines] = packet.split('\r\n');
  const headers: Record<string, string | undefined> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (READ.has(name)) headers[name] = line.slice(colon + 1).trim();
  }
  const target = REQUEST_LINE.exec(first)?.[1];
  if (target === undefined && COOKIES.test(packet)) headers['accept'] ??= 'text/html';
  return { query: queryOf(target ?? ''), headers };
}
