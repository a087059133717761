// Calls to a broker as its libraries make them. An OAuth error that comes with 200, as GitHub sends it, becomes one
// that they understand.
const MAX_CODE = 100;

/** `send` with errors of the token address put right (RFC 6749 §5.2: they have the status 400 or 401). */
export function withHonestErrors(send: typeof fetch): typeof fetch {
  return async (...request) => {
    const answer = await send(...request);
    if (request[1]?.method !== 'POST' || answer.status !== 200) return answer;
    const text = await answer.text();
    const error = errorIn(text);
    const { headers } = answer;
    if (error === null) return new Response(text, { status: 200, headers });
    return Response.json({ error }, { status: 400 });
  };
}

function errorIn(text: string): string | null {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof said !== 'object' || said === null || 'access_token' in said || !('error' in said)) return null;
  const { error } = said;
  return typeof error === 'string' && error !== '' ? error.slice(0, MAX_CODE) : null;
}
