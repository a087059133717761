// A caller of a benchmark: it sends one request at a time over a keep-alive connection. It uses raw sockets, so
// that the caller costs little CPU compared with the measured server. It parses only responses with Content-Length
// and chunked responses.
import net from 'node:net';

export type Reply = { status: number; head: string; body: string };

export class Caller {
  readonly #port: number;
  #socket: net.Socket;
  #buffer = '';
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | null = null;

  private constructor(port: number, socket: net.Socket) {
    this.#port = port;
    this.#socket = this.#listen(socket);
  }

  #listen(socket: net.Socket): net.Socket {
    this.#buffer = '';
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#buffer += chunk;
      this.#take();
    });
    const fail = (error?: Error) => {
      if (socket !== this.#socket) return;
      this.#waiting?.reject(error ?? new Error('the connection was closed'));
      this.#waiting = null;
    };
    return socket.on('error', fail).on('close', () => fail());
  }

  static connect(port: number): Promise<Caller> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Caller(port, socket)));
    });
  }

  /** Opens a new connection if the server closed the idle connection. */
  send(request: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) this.#socket = this.#listen(net.connect(this.#port, '127.0.0.1'));
      this.#waiting = { resolve, reject };
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(): void {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0 || !this.#waiting) return;
    const head = this.#buffer.slice(0, end);
    const lower = head.toLowerCase();
    const found = bodyOf(lower, this.#buffer, end + 4);
    if (!found) return;
    this.#buffer = this.#buffer.slice(found.next);
    const { resolve } = this.#waiting;
    this.#waiting = null;
    resolve({ status: Number(head.slice(9, 12)), head, body: found.body });
  }
}

function bodyOf(head: string, text: string, from: number): { body: string; next: number } | null {
  const at = head.indexOf('\r\ncontent-length:');
  if (at >= 0) {
    const length = Number.parseInt(head.slice(at + 17), 10);
    return text.length < from + length
      ? null
      : { body: text.slice(from, from + length), next: from + length };
  }
  if (!head.includes('transfer-encoding: chunked')) return { body: '', next: from };
  let body = '';
  let position = from;
  for (;;) {
    const line = text.indexOf('\r\n', position);
    if (line < 0) return null;
    const size = Number.parseInt(text.slice(position, line), 16);
    const next = line + 2 + size + 2;
    if (text.length < next) return null;
    if (size === 0) return { body, next };
    body += text.slice(line + 2, line + 2 + size);
    position = next;
  }
}

export function get(path: string, headers: Record<string, string> = {}): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines(headers)}\r\n`;
}

export function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): string {
  const body = Object.entries(form)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}${lines(headers)}Content-Length: ${body.length}\r\n\r\n${body}`;
}

export function json(
  method: 'POST' | 'PUT',
  path: string,
  content: object,
  headers: Record<string, string> = {},
): string {
  const body = JSON.stringify(content);
  const type = 'Content-Type: application/json\r\n';
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${type}${lines(headers)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The cookies of one browser. */
export class Cookies {
  readonly #values: Map<string, string>;

  /** `header`: cookies of an existing session, as in the request header */
  constructor(header = '') {
    const pairs = header === '' ? [] : header.split('; ');
    this.#values = new Map(pairs.map((pair) => splitPair(pair)));
  }

  /** Stores the cookies of a response, and returns the response. */
  keep(reply: Reply): Reply {
    for (const [, pair = ''] of reply.head.matchAll(/^set-cookie: ([^;\r\n]*)/gim)) {
      const [name, value] = splitPair(pair);
      if (value === '') this.#values.delete(name);
      else this.#values.set(name, value);
    }
    return reply;
  }

  get headers(): Record<string, string> {
    return { Cookie: [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ') };
  }
}

function splitPair(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
