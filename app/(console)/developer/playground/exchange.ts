// Requests to the token address, with what is shown of them: the request without its secrets, and the answer.

export type Exchange = {
  sent: string;
  status: number | null;
  received: string;
  body: Record<string, unknown>;
};

const COVERED = new Set(['client_secret']);

export async function post(address: string, fields: Record<string, string>): Promise<Exchange> {
  const url = new URL(address);
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${COVERED.has(name) ? '…' : value}`);
  const head = `POST ${url.pathname}\nHost: ${url.host}\nContent-Type: application/x-www-form-urlencoded`;
  const sent = `${head}\n\n${lines.join('\n&')}`;
  try {
    const response = await fetch(address, { method: 'POST', body: new URLSearchParams(fields) });
    const text = await response.text();
    return { sent, status: response.status, ...read(response.status, text) };
  } catch (error) {
    const words = `No answer: ${(error as Error).message}`;
    return { sent, status: null, received: words, body: {} };
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
