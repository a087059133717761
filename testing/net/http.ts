// One raw HTTP exchange: nothing is followed, normalised or added, and any header (Origin, Host) can be set.
import http from 'node:http';
import https from 'node:https';
import { noteSecrets } from './secrets.ts';
import type { Answer, Sent } from './sent.ts';

function bodyOf(sent: Sent): { body?: string | Buffer; type?: string } {
  if (sent.form !== undefined) {
    return { body: new URLSearchParams(sent.form).toString(), type: 'application/x-www-form-urlencoded' };
  }
  if (sent.json !== undefined) return { body: JSON.stringify(sent.json), type: 'application/json' };
  return sent.body === undefined ? {} : { body: sent.body };
}

export function send(url: string, sent: Sent = {}): Promise<Answer> {
  const { body, type } = bodyOf(sent);
  const [, origin = '', target = '/'] = /^(https?:\/\/[^/?]+)(.*)$/s.exec(url) ?? [];
  const { hostname, port } = new URL(origin);
  const headers: Record<string, string | string[]> = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...(sent.jar?.header === undefined ? {} : { cookie: sent.jar.header }),
    ...sent.headers,
  };
  const { localAddress, agent } = sent;
  // Node's agent would wait five seconds, which no test needs
  const timeoutMs = sent.timeoutMs ?? (agent || localAddress ? undefined : 15_000);
  const secure = origin.startsWith('https:');
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(
      {
        // accepts any certificate, because the test's proxy uses a self-signed one
        ...(secure ? { rejectUnauthorized: false } : {}),
        hostname,
        port,
        path: target === '' ? '/' : target,
        method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
        headers,
        ...(agent === undefined ? {} : { agent }),
        ...(localAddress === undefined ? {} : { localAddress, agent: new http.Agent() }),
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          sent.jar?.keep(response.headers['set-cookie']);
          const answer: Answer = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            location: response.headers.location ?? '',
            json: () => JSON.parse(text) as Record<string, unknown>,
          };
          noteSecrets(url, sent, body, answer);
          resolve(answer);
        });
      },
    );
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.end(body);
  });
}

const patient = new http.Agent({ keepAlive: true, maxSockets: 600 });

/** Sends a request like `send`, but returns status 0 if the service does not respond. */
export function attempt(url: string, sent: Sent = {}): Promise<Answer> {
  return send(url, { agent: patient, timeoutMs: 15_000, ...sent }).catch(() => ({
    status: 0,
    headers: {},
    text: '',
    location: '',
    json: () => ({}),
  }));
}
