// Records every secret that the suite sends or receives. The last test searches the logs, traces and tables of the
// service for them.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Sent } from './sent.ts';

const SENT = ['client_secret', 'password', 'code', 'refresh_token', 'token', 'subject_token'];
const GIVEN = ['access_token', 'refresh_token', 'client_secret', 'id_token'];
/** Values that tests send instead of secrets: hashes (which the database contains) and repeated characters. */
const NO_SECRET = /^(\\x|\$argon2)|^[0-9a-f]{64}$|^(gh[a-z]+_)?A{43}$|^(.)\3+$/;
const noted = new Set<string>();

export const secretsFile = (folder: string) => path.join(folder, 'secrets.txt');

function note(value: string | null | undefined): void {
  const folder = process.env['E2E_LOG_DIR'];
  if (!folder || !value || value.length < 12 || noted.has(value) || NO_SECRET.test(value)) return;
  if (/[\u0000-\u001f]/.test(value)) return;
  noted.add(value);
  appendFileSync(secretsFile(folder), `${value}\n`);
}

export function noteSecrets(
  url: string,
  sent: Sent,
  body: string | Buffer | undefined,
  answer: Answer,
): void {
  if (!process.env['E2E_LOG_DIR']) return;
  const type = String(sent.headers?.['content-type'] ?? (sent.json === undefined ? 'form' : 'json'));
  const text = body === undefined ? '' : String(body);
  if (!sent.invented) noteBody(type, text);
  // verifiers are recorded only after success, because some tests send a challenge as verifier, and the database
  // contains challenges
  if (answer.status === 200 && !sent.invented) noteBody(type, text, ['code_verifier']);
  noteAuthorization(sent.headers?.['authorization']);
  note(/\/callback\/broker\/([^/?]+)/.exec(url)?.[1]);
  noteLocation(answer.location);
  for (const line of answer.headers['set-cookie'] ?? []) note(/^[^=]+=([^;]*)/.exec(line)?.[1]);
  if (!/^application\/json/.test(answer.headers['content-type'] ?? '')) return;
  try {
    const given = answer.json();
    for (const name of GIVEN) if (typeof given[name] === 'string') note(given[name]);
  } catch {
    // ignored: the body is not JSON
  }
}

export function noteBody(type: string, body: string, names = SENT): void {
  try {
    const fields = type.includes('json')
      ? Object.entries(JSON.parse(body) as Record<string, unknown>)
      : [...new URLSearchParams(body)];
    for (const [name, value] of fields) if (names.includes(name) && typeof value === 'string') note(value);
  } catch {
    // ignored: the test deliberately sent a body that cannot be parsed
  }
}

export function noteLocation(location: string): void {
  if (location !== '') note(URL.parse(location)?.searchParams.get('code'));
}

function noteAuthorization(header: string | string[] | undefined): void {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(String(header ?? '')) ?? [];
  if (/bearer/i.test(scheme)) note(value);
  if (!/basic/i.test(scheme)) return;
  const plain = Buffer.from(value, 'base64').toString('utf8');
  const secret = plain.slice(plain.indexOf(':') + 1);
  note(new URLSearchParams(`x=${secret}`).get('x'));
}
