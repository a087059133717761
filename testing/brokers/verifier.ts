// A password verification service for tests. For special usernames it returns malicious responses.
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Listening, listen, textOf } from '../net/listen.ts';

export const RIGHT_PASSWORD = 'the right password';
export const VERIFY_TOKEN = 'fixture-verify-token';

const json = (response: http.ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const profileOf = (username: string) => ({
  sub: `sub of ${username}`,
  email: `${username}@campus.example`,
  name: `${username} of the campus`,
});

/** 16 MiB of spaces, compressed to 16 kB */
const BOMB = gzipSync(Buffer.alloc(16 * 1_048_576, 32));

type Misbehaviour = (response: http.ServerResponse) => void;

/** Usernames with a missing or unusable response; the result is `unavailable`. */
export const UNAVAILABLE: Record<string, Misbehaviour> = {
  slow: () => undefined,
  redirects: (response) => json(response, 302, '', { location: '/elsewhere' }),
  'redirects-307': (response) => json(response, 307, '', { location: '/elsewhere' }),
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384, 32)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  'too-large': (response) => json(response, 200, { profile: profileOf('x'), filler: 'x'.repeat(65_536) }),
  bomb: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(BOMB);
  },
  trickle: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  gone: (response) => void response.socket?.destroy(),
  cut: (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"profile":', () => response.socket?.destroy());
  },
  upgrade: (response) =>
    void response.socket?.end(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ),
  gibberish: (response) => void response.socket?.end('no HTTP at all\r\n\r\n'),
  'bad-gzip': (response) => json(response, 200, 'no gzip', { 'content-encoding': 'gzip' }),
  'error-500': (response) => json(response, 500, {}),
  'error-503': (response) => json(response, 503, { error: 'overloaded' }),
  'status-201': (response) => json(response, 201, { profile: profileOf('x') }),
  'status-204': (response) => json(response, 204, ''),
  'plain-400': (response) => json(response, 400, {}),
  html: (response) => json(response, 200, '<!doctype html><title>Welcome</title>'),
  'not-an-object': (response) => json(response, 200, '[]'),
  'without-profile': (response) => json(response, 200, { sub: 'x' }),
  'without-sub': (response) => json(response, 200, { profile: { email: 'x@campus.example' } }),
  'empty-sub': (response) => json(response, 200, { profile: { sub: '' } }),
  'numeric-sub': (response) => json(response, 200, { profile: { sub: 42 } }),
  'list-sub': (response) => json(response, 200, { profile: { sub: ['x'] } }),
  'nul-sub': (response) => json(response, 200, { profile: { sub: 'x\u0000y' } }),
  'half-a-character': (response) => json(response, 200, '{"profile":{"sub":"\\ud800"}}'),
  'odd-email': (response) => json(response, 200, { profile: { sub: 'x', email: { toString: 'x' } } }),
};

/** Usernames for which the response rejects the password. The expected result is `refused`. */
export const REFUSED: Record<string, Misbehaviour> = {
  'status-401': (response) => json(response, 401, ''),
  'status-403': (response) => json(response, 403, { profile: profileOf('x') }),
  'error-in-200': (response) => json(response, 200, { error: 'wrong', profile: profileOf('x') }),
  'error-in-400': (response) => json(response, 400, { error: 'locked', error_description: 'Locked.' }),
  'error-in-429': (response) => json(response, 429, { error: { code: 7 } }),
};

export type Call = { method: string; url: string; headers: http.IncomingHttpHeaders; body: string };
export type Verifier = Listening & { calls: Call[] };

/**
 * Starts the service. It accepts all other usernames with the password RIGHT_PASSWORD. `token` null: callers need
 * no bearer token. `more`: profile members in addition to subject, name and address.
 */
export async function startVerifier({
  port = 0,
  token = VERIFY_TOKEN as string | null,
  more = (_username: string): object | Promise<object> => ({}),
} = {}): Promise<Verifier> {
  const calls: Call[] = [];
  const server = http.createServer(async (request, response) => {
    const body = await textOf(request);
    calls.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    if (request.url !== '/verify') return json(response, 200, { profile: profileOf('elsewhere') });
    if (request.method !== 'POST') return json(response, 405, {}, { allow: 'POST' });
    const known = token === null || request.headers.authorization === `Bearer ${token}`;
    if (!known) return json(response, 500, {});
    const { username, password } = JSON.parse(body) as { username: string; password: string };
    const behave = UNAVAILABLE[username] ?? REFUSED[username];
    if (behave) return behave(response);
    if (password !== RIGHT_PASSWORD) return json(response, 401, { error: 'invalid_credentials' });
    return json(response, 200, { profile: { ...profileOf(username), ...(await more(username)) } });
  });
  const own = await listen(server, { port });
  return { ...own, url: `${own.url}/verify`, calls };
}
