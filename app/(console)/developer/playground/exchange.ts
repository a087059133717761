// Requests with what is shown of them: the request without its secrets, and the answer.

export type Exchange = {
  sent: string;
  /** null: there was no answer, and `received` says why */
  status: number | null;
  received: string;
  body: Record<string, unknown>;
};

const COVERED = new Set(['client_secret']);

/** `authorization`: a header, which is covered as a secret is. */
export function post(
  address: string,
  fields: Record<string, string>,
  authorization?: string,
): Promise<Exchange> {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${COVERED.has(name) ? '…' : value}`);
  const type = 'Content-Type: application/x-www-form-urlencoded';
  const covered = authorization === undefined ? '' : '\nAuthorization: Basic …';
  const headers = authorization === undefined ? {} : { authorization };
  const sent = `${head('POST', address)}${covered}\n${type}\n\n${lines.join('\n&')}`;
  return exchange(sent, fetch(address, { method: 'POST', headers, body: new URLSearchParams(fields) }));
}

/** RFC 6749 §2.3.1: both halves are form-encoded first. */
export function basicOf(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((half) => new URLSearchParams({ x: half }).toString().slice(2));
  return `Basic ${btoa(encoded.join(':'))}`;
}

/** With an access token in the header. */
export function getWith(token: string, address: string): Promise<Exchange> {
  const authorization = `Bearer ${token}`;
  const sent = `${head('GET', address)}\nAuthorization: ${authorization}`;
  return exchange(sent, fetch(address, { headers: { authorization } }));
}

function head(method: string, address: string): string {
  const url = new URL(address);
  return `${method} ${url.pathname}\nHost: ${url.host}`;
}

async function exchange(sent: string, coming: Promise<Response>): Promise<Exchange> {
  try {
    const response = await coming;
    const text = await response.text();
    return { sent, status: response.status, ...read(response.status, text) };
  } catch (error) {
    return { sent, status: null, received: (error as Error).message, body: {} };
  }
}

function read(status: number, text: string): Pick<Exchange, 'received' | 'body'> {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    return { received: `${status}\n\n${JSON.stringify(body, null, 2)}`, body };
  } catch {
    return { received: `${status}\n\n${text}`, body: {} };
  }
}
