// The metadata of an OpenID Connect provider: is it there, is it this provider, and can a sign-in work with it?
import { machineNow } from '#lib/kit/clock.ts';
import type { Sentence } from '#lib/kit/sentence.ts';
import { ASYMMETRIC_ALGS } from '../../clients/public-keys.ts';
import type { FurtherVerdict, MethodConfig, Probe, ProbeAnswer, ProbeAs, ProbeVerdict } from '../kind.ts';
import { authorizeProbe, tokenProbe } from './as-client.ts';
import { ISSUER_TEMPLATE, isTemplated } from './tenants.ts';

const MAX_SHOWN = 200;
/** ID tokens are accepted with such a difference of the clocks */
const TOLERANCE_SECONDS = 30;

/** OpenID Connect Discovery §4.3: the metadata name the very issuer that they were asked of. */
export function metadataProbe(issuer: string, config: MethodConfig, as: ProbeAs | null): Probe {
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
  const broken = (found: Sentence, change: Sentence): ProbeVerdict => ({ state: 'broken', found, change });
  const check = { text: 'Check the issuer, {issuer}.', values: { issuer } };
  if (status !== 200) return broken({ text: 'There are no metadata at this address.' }, check);
  if (members === null)
    return broken({ text: 'The answer is no JSON object, so these are no metadata.' }, check);
  const named = members['issuer'];
  if (typeof named !== 'string') return broken({ text: 'The metadata are without an issuer.' }, check);
  const values = { named: named.slice(0, MAX_SHOWN), issuer };
  if (written)
    return broken(
      { text: 'The issuer is written as the address of its metadata.' },
      { text: 'Set the issuer to {named}, without /.well-known/….', values },
    );
  if (named === issuer)
    return {
      state: 'ok',
      found: { text: 'The metadata name the issuer {issuer}, as it is set here.', values },
    };
  const differ = { text: 'The metadata name the issuer {named}, and here it is {issuer}.', values };
  // a sign-in compares addresses; a token exchange compares texts
  if (URL.canParse(named) && new URL(named).href === new URL(issuer).href)
    return {
      state: 'warning',
      found: differ,
      change: { text: 'Set the issuer to {named}, or its tokens cannot be exchanged.', values },
    };
  return broken(differ, { text: 'Set the issuer to {named} if it is this provider’s.', values });
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];

function judgeEndpoints(metadata: Record<string, unknown>): FurtherVerdict {
  const check = { text: 'Endpoints' };
  const missing = NEEDED.filter((name) => typeof metadata[name] !== 'string');
  if (missing.length > 0)
    return {
      check,
      state: 'broken',
      found: { text: 'The metadata lack {names}.', values: { names: missing.join(', ') } },
      change: { text: 'Ask the provider: a sign-in needs them.' },
    };
  if (lacks(metadata['response_types_supported'], ['code']))
    return {
      check,
      state: 'broken',
      found: { text: 'The provider does not offer the authorization code.' },
      change: { text: 'Allow response_type code there.' },
    };
  if (lacks(metadata['id_token_signing_alg_values_supported'], ASYMMETRIC_ALGS))
    return {
      check,
      state: 'broken',
      found: { text: 'It signs ID tokens with no algorithm that is accepted here.' },
      change: { text: 'Let it sign them with one of {algs}.', values: { algs: ASYMMETRIC_ALGS.join(', ') } },
    };
  return {
    check,
    state: 'ok',
    found: { text: 'It has all addresses that a sign-in needs, and signs as we accept.' },
  };
}

const lacks = (offered: unknown, wanted: readonly string[]) =>
  Array.isArray(offered) && !wanted.some((one) => offered.includes(one));

/** Nothing where the answer has no date. */
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
        text: 'Set both by NTP: ID tokens that are more than {limit} seconds off are refused.',
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

/** RFC 7517 §5 */
const keysProbe = (address: string): Probe => ({
  check: { text: 'Keys' },
  address,
  judge: ({ status, members }) => {
    const keys = status === 200 && Array.isArray(members?.['keys']) ? members['keys'] : null;
    const count = keys?.filter(isForSignatures).length ?? 0;
    if (count > 0)
      return {
        state: 'ok',
        found: { text: 'Keys for signatures: {count}.', values: { count } },
      };
    return {
      state: 'broken',
      found: keys
        ? { text: 'It publishes no key that a signature can be checked with.' }
        : { text: 'There is no set of keys at this address.' },
      change: { text: 'Ask the provider: its jwks_uri must answer with the public keys of its ID tokens.' },
    };
  },
});

const isForSignatures = (key: unknown): boolean => {
  const { kty, use } = (key ?? {}) as Record<string, unknown>;
  return ['RSA', 'EC', 'OKP'].includes(String(kty)) && use !== 'enc';
};
