// What is asked of a broker in our name, without a person: does it know our client id, our redirect address and our
// secret? The code is invented, so nothing is given.
import { randomToken, sha256 } from '#lib/kit/random.ts';
import type { Sentence } from '#lib/kit/sentence.ts';
import type { MethodConfig, Probe, ProbeAnswer, ProbeAs, ProbeVerdict } from '../kind.ts';
import { basicCredentials, tokenAuthOf } from './token-auth.ts';

const broken = (found: Sentence, change: Sentence): ProbeVerdict => ({ state: 'broken', found, change });
const clientIdOf = (config: MethodConfig) => String(config['client_id'] ?? '');

/** OpenID Connect Core §3.1.2.1: with `prompt=none` it shows no page, and sends back what is missing. */
export function authorizeProbe(endpoint: string, config: MethodConfig, { callback }: ProbeAs): Probe {
  const scopes = 'issuer' in config ? ['openid'] : [];
  const asked = {
    response_type: 'code',
    client_id: clientIdOf(config),
    redirect_uri: callback,
    ...(scopes.length > 0 && { scope: scopes.join(' '), prompt: 'none' }),
    ...(scopes.length > 0 && config['nonce'] !== false && { nonce: randomToken('') }),
    state: randomToken(''),
    ...(config['pkce'] !== false && {
      code_challenge: sha256(randomToken('')).toString('base64url'),
      code_challenge_method: 'S256',
    }),
    ...(config['answer'] === 'form_post' && { response_mode: 'form_post' }),
  };
  const address = URL.canParse(endpoint) ? new URL(endpoint) : null;
  for (const [name, value] of Object.entries(asked)) address?.searchParams.set(name, value);
  return {
    check: { text: 'Authorization address' },
    address: address?.href ?? endpoint,
    redirects: true,
    judge: (answer) => judgeAuthorize(answer, callback),
  };
}

/** OpenID Connect Core §3.1.2.6: it would ask the person, so all the rest is right. */
const ASKS = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

function judgeAuthorize({ status, location, body }: ProbeAnswer, callback: string): ProbeVerdict {
  const register = {
    text: 'Register {callback} there as a redirect address, and compare our client id.',
    values: { callback },
  };
  if (location?.startsWith(`${callback}?`) || location?.startsWith(`${callback}#`)) {
    const { searchParams, hash } = new URL(location);
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    if (error === null || ASKS.includes(error))
      return { state: 'ok', found: { text: 'It knows our client id and our redirect address.' } };
    return broken(
      { text: 'It sends people back with the error {error}.', values: { error: error.slice(0, 100) } },
      { text: 'Check what our client id may do there: the authorization code, and the scopes we ask for.' },
    );
  }
  if (location !== null)
    return {
      state: 'ok',
      found: {
        text: 'It leads people on to {host}. Whether it knows our redirect address, the first sign-in shows.',
        values: { host: URL.canParse(location) ? new URL(location).host : '…' },
      },
    };
  if (status === 404) return broken({ text: 'There is nothing at this address.' }, register);
  if (status >= 400) return broken({ text: 'It refuses our client id or our redirect address.' }, register);
  if (body.includes(callback))
    return { state: 'ok', found: { text: 'It knows our client id and our redirect address.' } };
  return {
    state: 'ok',
    found: { text: 'It shows a page. Whether it knows our redirect address, the first sign-in shows.' },
  };
}

/** The errors that come after the client was accepted; the second is GitHub's. */
const REFUSED_CODE = ['invalid_grant', 'bad_verification_code'];
const REFUSED_CLIENT = ['invalid_client', 'incorrect_client_credentials'];
const MAY_NOT = ['unauthorized_client', 'unsupported_grant_type'];

/** RFC 6749 §4.1.3, with a code that was never given: it is refused, once the client has been accepted. */
export function tokenProbe(
  address: string,
  offered: readonly unknown[],
  config: MethodConfig,
  { callback, secret }: ProbeAs,
): Probe {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: randomToken(''),
    redirect_uri: callback,
    ...(config['pkce'] !== false && { code_verifier: randomToken('').padEnd(43, '-') }),
  });
  const clientId = clientIdOf(config);
  const isBasic = secret !== null && tokenAuthOf(config, offered) === 'client_secret_basic';
  if (!isBasic) body.set('client_id', clientId);
  if (!isBasic && secret !== null) body.set('client_secret', secret);
  const headers = isBasic ? { authorization: basicCredentials(clientId, secret) } : {};
  return {
    check: { text: 'Our client id and secret' },
    address,
    send: { headers, body },
    judge: (answer) => judgeToken(answer, secret, callback),
  };
}

function judgeToken({ status, error }: ProbeAnswer, secret: string | null, callback: string): ProbeVerdict {
  if (error !== null && REFUSED_CODE.includes(error))
    return {
      state: 'ok',
      found: { text: 'It accepts our client id and secret, and refuses the invented code, as it must.' },
    };
  if ((error !== null && REFUSED_CLIENT.includes(error)) || (error === null && status === 401))
    return broken(
      { text: 'It does not accept our client id and secret.' },
      secret === null
        ? { text: 'Set the client secret that the provider gave us.' }
        : {
            text: 'Compare both with those at the provider, where the secret may have ended. If they are right, send them the other way: HTTP Basic or in the body (token_endpoint_auth_method).',
          },
    );
  if (error !== null && MAY_NOT.includes(error))
    return broken(
      { text: 'It does not allow our client the authorization code.' },
      { text: 'Allow it for our client id there.' },
    );
  if (error === 'redirect_uri_mismatch')
    return broken(
      { text: 'It does not know our redirect address.' },
      { text: 'Register {callback} there as a redirect address.', values: { callback } },
    );
  if (error !== null)
    return {
      state: 'warning',
      found: {
        text: 'It refuses the request with {error}, which does not say whether it accepts our client id and secret.',
        values: { error: error.slice(0, 100) },
      },
      change: { text: 'Sign in once, and look into the log of this service.' },
    };
  if (status >= 200 && status < 300)
    return {
      state: 'warning',
      found: { text: 'It does not refuse a code that was invented for this test.' },
      change: { text: 'Check the token address (token_endpoint).' },
    };
  return broken(
    { text: 'There is no OAuth error in the answer: this is no token endpoint.' },
    { text: 'Check the token address (token_endpoint).' },
  );
}
