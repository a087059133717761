// A complete sign-in like that of a browser without scripts: authorization request, sign-in page, password, consent
// page, Allow, code, token.
import { createHash, randomBytes } from 'node:crypto';
import { Cookies, get, post, type Reply } from './client.ts';
import * as values from './values.ts';

const { ORIGIN } = values;

type Send = (text: string) => Promise<Reply>;

let person = 0;

/** Describes the error. `null`: success with a token. */
export async function walkSignIn(send: Send): Promise<string | null> {
  person += 1;
  const cookies = new Cookies();
  /** Follows redirects and automatic pages to the next user page or the client's redirect URI. */
  const follow = async (reply: Reply): Promise<Reply> => {
    const next = nextOf(reply);
    return next === undefined || next.startsWith(values.REDIRECT_URI) ? reply : visit(next);
  };
  const visit = async (address: string): Promise<Reply> =>
    follow(cookies.keep(await send(get(pathOf(address), cookies.headers))));
  const submit = async (path: string, form: Record<string, string>) =>
    follow(cookies.keep(await send(post(path, form, { ...cookies.headers, Origin: ORIGIN }))));

  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: values.CLIENT,
    redirect_uri: values.REDIRECT_URI,
    response_type: 'code',
    scope: values.SCOPES.join(' '),
    prompt: 'consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const signInPage = await visit(`${values.ISSUER_PATH}/authorize?${query}`);
  const credentials = { username: values.emailOf(person), password: values.PASSWORD };
  const consentPage = await submit('/login/submit', { ...hiddenIn(signInPage), ...credentials });
  const answer = await submit('/consent/submit', { ...hiddenIn(consentPage), decision: 'allow' });
  const code = new URL(nextOf(answer) ?? '', ORIGIN).searchParams.get('code');
  if (code === null) return `no code, but status ${answer.status}`;
  const { status, body } = await send(
    post(`${values.ISSUER_PATH}/token`, {
      grant_type: 'authorization_code',
      client_id: values.CLIENT,
      client_secret: values.CLIENT_SECRET,
      code,
      code_verifier: verifier,
      redirect_uri: values.REDIRECT_URI,
    }),
  );
  return status === 200 ? null : `status ${status}: ${body.slice(0, 200)}`;
}

const pathOf = (address: string) => {
  const { pathname, search } = new URL(address, ORIGIN);
  return pathname + search;
};

const nextOf = ({ head }: Reply) => /^(?:location: |refresh: 0; url=)(.*)$/im.exec(head)?.[1];

/** Returns the hidden fields of the page's last form; all forms of a page share the same hidden fields. */
function hiddenIn({ status, body }: Reply): Record<string, string> {
  const inputs = [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  if (inputs.length === 0) throw new Error(`status ${status} where a form was expected`);
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
}
