// Probes of a broker: those of the doctor send no secret, and those of a connection test authenticate like a sign-in.
import { machineNow, now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import type { Sentence } from '#lib/kit/text.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/keys.ts';
import type { FurtherVerdict, MethodConfig, Probe, ProbeAnswer, ProbeAs, ProbeVerdict } from '../kind.ts';
import { presetOf } from './presets.ts';
import { basicCredentials, ISSUER_TEMPLATE, isTemplated, tokenAuthOf } from './tenants.ts';

// Probes a broker in the name of Gatehouse, without a user: checks whether client id, redirect address and secret are
// registered. The authorization code is invented, so no token is issued.

const brokenVerdict = (sentence: Sentence, change: Sentence): ProbeVerdict => ({
  state: 'broken',
  found: sentence,
  change,
});
const clientIdOf = (config: MethodConfig) => String(config['client_id'] ?? '');

/**
 * Sends an authorization request with `prompt=none`. The provider then shows no page, and returns an error that
 * names the missing step (OpenID Connect Core §3.1.2.1).
 */
function authorizeProbe(endpoint: string, config: MethodConfig, { callback }: ProbeAs): Probe {
  const scopes = 'issuer' in config ? ['openid'] : [];
  const parameters = {
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
  for (const [name, value] of Object.entries(parameters)) address?.searchParams.set(name, value);
  return {
    check: { text: 'Authorization address' },
    address: address?.href ?? endpoint,
    redirects: true,
    judge: (answer) => judgeAuthorize(answer, callback),
  };
}

/**
 * OpenID Connect Core §3.1.2.6: errors which mean that the provider would show a page, so the request is otherwise
 * valid.
 */
const ASKS = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

function judgeAuthorize({ status, location, body }: ProbeAnswer, callback: string): ProbeVerdict {
  const register = {
    text: 'Register {callback} at the provider as a redirect address, and check our client id.',
    values: { callback },
  };
  if (location?.startsWith(`${callback}?`) || location?.startsWith(`${callback}#`)) {
    const { searchParams, hash } = new URL(location);
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    if (error === null || ASKS.includes(error))
      return { state: 'ok', found: { text: 'The provider knows our client id and our redirect address.' } };
    return brokenVerdict(
      {
        text: 'The provider sends people back with the error {error}.',
        values: { error: error.slice(0, 100) },
      },
      {
        text: 'Check that our client id may use the authorization code and the requested scopes at the provider.',
      },
    );
  }
  if (location !== null)
    return {
      state: 'ok',
      found: {
        text: 'The provider redirects people to {host}. Only the first sign-in shows whether it knows our redirect address.',
        values: { host: URL.canParse(location) ? new URL(location).host : '…' },
      },
    };
  if (status === 404) return brokenVerdict({ text: 'Nothing was found at this address.' }, register);
  if (status >= 400)
    return brokenVerdict({ text: 'The provider rejects our client id or our redirect address.' }, register);
  if (body.includes(callback))
    return { state: 'ok', found: { text: 'The provider knows our client id and our redirect address.' } };
  return {
    state: 'ok',
    found: {
      text: 'The provider shows a page. Only the first sign-in shows whether it knows our redirect address.',
    },
  };
}

/** Errors that occur only after the client was authenticated. The second is specific to GitHub. */
const REFUSED_CODE = ['invalid_grant', 'bad_verification_code'];
const REFUSED_CLIENT = ['invalid_client', 'incorrect_client_credentials'];
const MAY_NOT = ['unauthorized_client', 'unsupported_grant_type'];

/**
 * Sends a token request (RFC 6749 §4.1.3) with an invented code: the provider authenticates the client, and then
 * rejects the code.
 */
function tokenProbe(
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
      found: {
        text: 'The provider accepts our client id and secret, and correctly rejects the invented code.',
      },
    };
  if ((error !== null && REFUSED_CLIENT.includes(error)) || (error === null && status === 401))
    return brokenVerdict(
      { text: 'The provider does not accept our client id and secret.' },
      secret === null
        ? { text: 'Set the client secret that the provider issued to us.' }
        : {
            text: 'Compare our client id and secret with the values at the provider: the secret may have expired. If both are correct, change how they are sent: HTTP Basic or in the body (token_endpoint_auth_method).',
          },
    );
  if (error !== null && MAY_NOT.includes(error))
    return brokenVerdict(
      { text: 'The provider does not allow our client to use the authorization code.' },
      { text: 'Allow the authorization code for our client id at the provider.' },
    );
  if (error === 'redirect_uri_mismatch')
    return brokenVerdict(
      { text: 'The provider does not know our redirect address.' },
      { text: 'Register {callback} at the provider as a redirect address.', values: { callback } },
    );
  if (error !== null)
    return {
      state: 'warning',
      found: {
        text: 'The provider rejects the request with {error}, which does not show whether it accepts our client id and secret.',
        values: { error: error.slice(0, 100) },
      },
      change: { text: 'Sign in once, and check the log of this service.' },
    };
  if (status >= 200 && status < 300)
    return {
      state: 'warning',
      found: { text: 'The provider does not reject a code that was invented for this test.' },
      change: { text: 'Check the token address (token_endpoint).' },
    };
  return brokenVerdict(
    { text: 'The response contains no OAuth error, so this is not a token endpoint.' },
    { text: 'Check the token address (token_endpoint).' },
  );
}

// Metadata of an OpenID Connect provider: whether they are available, contain the right issuer, and support a
// sign-in.

const MAX_SHOWN = 200;
/** tolerated difference between clocks for ID tokens */
const TOLERANCE_SECONDS = 30;

/**
 * Requests the metadata, which must contain exactly the issuer whose metadata were requested (OpenID Connect
 * Discovery §4.3).
 */
function metadataProbe(issuer: string, config: MethodConfig, as: ProbeAs | null): Probe {
  const written = /\/\.well-known\//.test(issuer);
  const address = written ? issuer : `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return {
    check: { text: 'Metadata' },
    address,
    judge: (answer) => {
      const verdict = judgeIssuer(answer, isTemplated(config) ? ISSUER_TEMPLATE : issuer, written);
      const { members } = answer;
      if (verdict.state === 'broken' || members === null) return verdict;
      return {
        ...verdict,
        more: [judgeEndpoints(members), ...judgeClock(answer)],
        next: furtherProbes(members, config, as),
      };
    },
  };
}

function judgeIssuer({ status, members }: ProbeAnswer, issuer: string, written: boolean): ProbeVerdict {
  const check = { text: 'Check the issuer, {issuer}.', values: { issuer } };
  if (status !== 200) return brokenVerdict({ text: 'No metadata were found at this address.' }, check);
  if (members === null)
    return brokenVerdict({ text: 'The response is not a JSON object, so it is not metadata.' }, check);
  const member = members['issuer'];
  if (typeof member !== 'string') return brokenVerdict({ text: 'The metadata contain no issuer.' }, check);
  const values = { named: member.slice(0, MAX_SHOWN), issuer };
  if (written)
    return brokenVerdict(
      { text: 'The issuer is set to the address of its metadata.' },
      { text: 'Set the issuer to {named}, without /.well-known/….', values },
    );
  if (member === issuer)
    return {
      state: 'ok',
      found: { text: 'The metadata contain the issuer {issuer}, as configured for this method.', values },
    };
  const differ = {
    text: 'The metadata contain the issuer {named}, but {issuer} is configured for this method.',
    values,
  };
  // a warning, because a sign-in compares addresses, but a token exchange compares texts
  if (URL.canParse(member) && new URL(member).href === new URL(issuer).href)
    return {
      state: 'warning',
      found: differ,
      change: {
        text: 'Set the issuer to {named}. Otherwise the provider’s tokens cannot be exchanged.',
        values,
      },
    };
  return brokenVerdict(differ, { text: 'Set the issuer to {named} if it belongs to this provider.', values });
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];

function judgeEndpoints(metadata: Record<string, unknown>): FurtherVerdict {
  const check = { text: 'Endpoints' };
  const missing = NEEDED.filter((name) => typeof metadata[name] !== 'string');
  if (missing.length > 0)
    return {
      check,
      state: 'broken',
      found: { text: 'The metadata do not contain {names}.', values: { names: missing.join(', ') } },
      change: { text: 'Ask the provider for these addresses: a sign-in requires them.' },
    };
  if (lacks(metadata['response_types_supported'], ['code']))
    return {
      check,
      state: 'broken',
      found: { text: 'The provider does not support the authorization code.' },
      change: { text: 'Allow response_type code at the provider.' },
    };
  if (lacks(metadata['id_token_signing_alg_values_supported'], ASYMMETRIC_ALGS))
    return {
      check,
      state: 'broken',
      found: { text: 'The provider does not sign ID tokens with an algorithm that this service accepts.' },
      change: {
        text: 'Configure the provider to sign ID tokens with one of {algs}.',
        values: { algs: ASYMMETRIC_ALGS.join(', ') },
      },
    };
  return {
    check,
    state: 'ok',
    found: {
      text: 'The provider has all addresses that a sign-in needs, and signs with an accepted algorithm.',
    },
  };
}

const lacks = (offered: unknown, wanted: readonly string[]) =>
  Array.isArray(offered) && !wanted.some((wantedValue) => offered.includes(wantedValue));

/** Judges the clock of the provider. Returns an empty list if the response contains no Date header. */
function judgeClock({ headers }: ProbeAnswer): FurtherVerdict[] {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return [];
  const check = { text: 'Clock' };
  const seconds = Math.round(Math.abs(theirs - machineNow().getTime()) / 1000);
  if (seconds < TOLERANCE_SECONDS)
    return [
      {
        check,
        state: 'ok',
        found: {
          text: 'The two clocks are at most {seconds, plural, one {# second} other {# seconds}} apart.',
          values: { seconds: Math.max(seconds, 1) },
        },
      },
    ];
  return [
    {
      check,
      state: 'warning',
      found: {
        text: 'The two clocks are {seconds, plural, one {# second} other {# seconds}} apart.',
        values: { seconds },
      },
      change: {
        text: 'Synchronize both clocks by NTP: ID tokens that differ by more than {limit} seconds are rejected.',
        values: { limit: TOLERANCE_SECONDS },
      },
    },
  ];
}

function furtherProbes(metadata: Record<string, unknown>, config: MethodConfig, as: ProbeAs | null): Probe[] {
  const [authorize, token, jwks] = NEEDED.map((name) => metadata[name]);
  const ways = metadata['token_endpoint_auth_methods_supported'];
  const offered = Array.isArray(ways) ? ways : ['client_secret_basic'];
  return [
    ...(typeof jwks === 'string' ? [keysProbe(jwks)] : []),
    ...(as && typeof authorize === 'string' ? [authorizeProbe(authorize, config, as)] : []),
    ...(as && typeof token === 'string' ? [tokenProbe(token, offered, config, as)] : []),
  ];
}

/** Probe of the key set (RFC 7517 §5). */
const keysProbe = (address: string): Probe => ({
  check: { text: 'Keys' },
  address,
  judge: ({ status, members }) => {
    const keys = status === 200 && Array.isArray(members?.['keys']) ? members['keys'] : null;
    const count = keys?.filter(isForSignatures).length ?? 0;
    if (count > 0)
      return {
        state: 'ok',
        found: { text: 'Signature keys: {count}.', values: { count } },
      };
    return {
      state: 'broken',
      found: keys
        ? { text: 'The provider does not publish a key for verifying signatures.' }
        : { text: 'No key set was found at this address.' },
      change: { text: 'Ask the provider: its jwks_uri must return the public keys of its ID tokens.' },
    };
  },
});

const isForSignatures = (key: unknown): boolean => {
  const { kty, use } = (key ?? {}) as Record<string, unknown>;
  return ['RSA', 'EC', 'OKP'].includes(String(kty)) && use !== 'enc';
};

export function brokerProbes(config: MethodConfig, as: ProbeAs | null): Probe[] {
  const text = (key: string) => String(config[key] ?? '');
  if ('issuer' in config) return [metadataProbe(text('issuer'), config, as)];
  const token = as
    ? tokenProbe(text('token_endpoint'), ['client_secret_post'], config, as)
    : withoutSecret(text('token_endpoint'), text('client_id'));
  const userinfo = userinfoProbe(text('userinfo_endpoint'));
  if (!as) return [token, userinfo];
  return [authorizeProbe(text('authorization_endpoint'), config, as), token, userinfo];
}

export const brokerRemarks = (config: MethodConfig): FurtherVerdict[] => [
  ...remarkOfProofs(config),
  ...remarkOfVersion(config),
];

const HALF_A_YEAR_MS = 182 * 86_400_000;

/** Warns before a provider ends the version of its API that the preset uses. */
function remarkOfVersion(config: MethodConfig): FurtherVerdict[] {
  const { label, ends } = presetOf(config) ?? {};
  if (!ends || Date.parse(ends.on) - now().getTime() > HALF_A_YEAR_MS) return [];
  return [
    {
      check: { text: 'Version' },
      state: 'warning',
      found: {
        text: '{service} will shut down version {version} of its addresses on {day}.',
        values: { service: label ?? '', version: ends.version, day: ends.on },
      },
      change: { text: 'Upgrade this service: a later release uses a later version.' },
    },
  ];
}

/** Warns if neither nonce nor PKCE protects the response (RFC 9700 §4.5). */
const remarkOfProofs = (config: MethodConfig): FurtherVerdict[] =>
  config['pkce'] === false && (config['nonce'] === false || !('issuer' in config))
    ? [
        {
          check: { text: 'Proofs' },
          state: 'warning',
          found: {
            text: 'Neither a code challenge nor a nonce is sent: a code that someone else injects into a response is not detected.',
          },
          change: {
            text: 'Send a code challenge or a nonce (pkce, nonce) as soon as the provider supports one of them.',
          },
        },
      ]
    : [];

const TOKEN = { text: 'Token address' };

/**
 * Sends a token request without a code and a secret. The response must contain an error in JSON (RFC 6749 §5.2). Some
 * providers send it form-encoded, with any status.
 */
function withoutSecret(address: string, clientId: string): Probe {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId });
  return {
    check: TOKEN,
    address,
    send: { headers: {}, body },
    judge: ({ status, error }) =>
      error !== null || status === 401 || (status >= 200 && status < 300)
        ? { state: 'ok', found: { text: 'The provider responds like a token endpoint.' } }
        : {
            state: 'broken',
            found: { text: 'The response contains no OAuth error, so this is not a token endpoint.' },
            change: { text: 'Check the token address (token_endpoint).' },
          },
  };
}

/** Calls the endpoint without a token. The endpoint must request authentication (RFC 6750 §3). */
const userinfoProbe = (address: string): Probe => ({
  check: { text: 'Userinfo address' },
  address,
  judge: ({ status }) =>
    [400, 401, 403].includes(status) || (status >= 200 && status < 300)
      ? { state: 'ok', found: { text: 'The provider correctly requires a token.' } }
      : {
          state: 'broken',
          found: {
            text: 'Without a token, the provider responds with {status} instead of 401.',
            values: { status },
          },
          change: { text: 'Check the userinfo address (userinfo_endpoint).' },
        },
});
