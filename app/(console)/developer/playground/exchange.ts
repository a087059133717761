// Requests with what is shown of them: the request without its secrets, and the answer.
import type { BrowserKey } from './key.ts';
import { type ProofOf, proofFor } from './proof.ts';

export type Exchange = {
  sent: string;
  /** of a key, as it was sent; null: none was */
  proof: string | null;
  /** null: there was no answer, and `received` says why */
  status: number | null;
  received: string;
  body: Record<string, unknown>;
  /** the service wants its nonce in the proof (RFC 9449 §8) */
  asksForNonce: boolean;
};
type Request = {
  method: ProofOf['method'];
  address: string;
  headers?: Record<string, string>;
  /** as the headers are shown */
  shown?: string[];
  fields?: Record<string, string>;
  /** what the proof is for */
  accessToken?: string;
};

const COVERED = new Set(['client_secret']);

/** The service's last nonce. */
let nonce: string | null = null;

type Client = { clientId: string; confidential: boolean; basic: boolean };

/** As this client. Its secret is covered in what is shown. `key`: proves itself. */
export function post(
  { clientId, confidential, basic }: Client,
  address: string,
  given: Record<string, string>,
  { secret, key }: { secret: string; key: BrowserKey | null },
): Promise<Exchange[]> {
  const headers = basic ? { authorization: basicOf(clientId, secret) } : {};
  const shown = basic ? ['Authorization: Basic …'] : [];
  const inBody = { client_id: clientId, ...(confidential ? { client_secret: secret } : {}) };
  const fields = basic ? given : { ...given, ...inBody };
  return sendWithKey({ method: 'POST', address, headers, shown, fields }, key);
}

/** RFC 6749 §2.3.1: both halves are form-encoded first. */
function basicOf(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((half) => new URLSearchParams({ x: half }).toString().slice(2));
  return `Basic ${btoa(encoded.join(':'))}`;
}

/** With an access token in the header; `key`: what the token is bound to. */
export function getWith(accessToken: string, address: string, key: BrowserKey | null): Promise<Exchange[]> {
  const authorization = key ? `DPoP ${accessToken}` : `Bearer ${accessToken}`;
  const shown = [`Authorization: ${authorization}`];
  return sendWithKey({ method: 'GET', address, headers: { authorization }, shown, accessToken }, key);
}

/** Once more where the service asks for its nonce: that used nothing up. */
async function sendWithKey(request: Request, key: BrowserKey | null): Promise<Exchange[]> {
  const first = await exchange(request, key);
  return first.asksForNonce ? [first, await exchange(request, key)] : [first];
}

async function exchange(request: Request, key: BrowserKey | null): Promise<Exchange> {
  const { method, address, headers, fields, accessToken = null } = request;
  const proof = key && (await proofFor(key, { method, address, nonce, accessToken }));
  const asked = { sent: shownOf(request, proof), proof };
  try {
    const response = await fetch(address, {
      method,
      headers: { ...headers, ...(proof === null ? {} : { dpop: proof }) },
      ...(fields && { body: new URLSearchParams(fields) }),
    });
    nonce = response.headers.get('dpop-nonce') ?? nonce;
    const { received, body } = read(response.status, await response.text());
    const asksForNonce = proof !== null && body['error'] === 'use_dpop_nonce';
    return { ...asked, status: response.status, received, body, asksForNonce };
  } catch (error) {
    return { ...asked, status: null, received: (error as Error).message, body: {}, asksForNonce: false };
  }
}

function shownOf({ method, address, shown = [], fields }: Request, proof: string | null): string {
  const url = new URL(address);
  const type = fields ? ['Content-Type: application/x-www-form-urlencoded'] : [];
  const proved = proof === null ? [] : [`DPoP: ${proof}`];
  const head = [`${method} ${url.pathname}`, `Host: ${url.host}`, ...shown, ...proved, ...type].join('\n');
  if (!fields) return head;
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${COVERED.has(name) ? '…' : value}`);
  return `${head}\n\n${lines.join('\n&')}`;
}

function read(status: number, text: string): Pick<Exchange, 'received' | 'body'> {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    return { received: `${status}\n\n${JSON.stringify(body, null, 2)}`, body };
  } catch {
    return { received: `${status}\n\n${text}`, body: {} };
  }
}
