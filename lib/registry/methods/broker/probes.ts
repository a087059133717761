// What is asked of a broker: by the doctor without our secret, and by a test of its connection as a sign-in would.
import { now } from '#lib/kit/clock.ts';
import type { FurtherVerdict, MethodConfig, Probe, ProbeAs } from '../kind.ts';
import { authorizeProbe, tokenProbe } from './as-client.ts';
import { metadataProbe } from './metadata.ts';
import { presetOf } from './presets.ts';

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

/** A provider ends the version that a preset has, on a day that is known. */
function remarkOfVersion(config: MethodConfig): FurtherVerdict[] {
  const { label, ends } = presetOf(config) ?? {};
  if (!ends || Date.parse(ends.on) - now().getTime() > HALF_A_YEAR_MS) return [];
  return [
    {
      check: { text: 'Version' },
      state: 'warning',
      found: {
        text: '{service} ends {version} of its addresses on {day}.',
        values: { service: label ?? '', version: ends.version, day: ends.on },
      },
      change: { text: 'Upgrade this service: a later release has a later version.' },
    },
  ];
}

/** RFC 9700 §4.5 */
const remarkOfProofs = (config: MethodConfig): FurtherVerdict[] =>
  config['pkce'] === false && (config['nonce'] === false || !('issuer' in config))
    ? [
        {
          check: { text: 'Proofs' },
          state: 'warning',
          found: {
            text: 'No code challenge and no nonce is sent: a code that somebody else puts into an answer is not noticed.',
          },
          change: { text: 'Send one of them (pkce, nonce) as soon as the provider bears it.' },
        },
      ]
    : [];

const TOKEN = { text: 'Token address' };

/** RFC 6749 §5.2: without a code the answer is an error in JSON, or in a form with some providers, of any status. */
function withoutSecret(address: string, clientId: string): Probe {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId });
  return {
    check: TOKEN,
    address,
    send: { headers: {}, body },
    judge: ({ status, error }) =>
      error !== null || status === 401 || (status >= 200 && status < 300)
        ? { state: 'ok', found: { text: 'It answers as a token endpoint does.' } }
        : {
            state: 'broken',
            found: { text: 'There is no OAuth error in the answer: this is no token endpoint.' },
            change: { text: 'Check the token address (token_endpoint).' },
          },
  };
}

/** RFC 6750 §3: without a token it asks for one. */
const userinfoProbe = (address: string): Probe => ({
  check: { text: 'Userinfo address' },
  address,
  judge: ({ status }) =>
    [400, 401, 403].includes(status) || (status >= 200 && status < 300)
      ? { state: 'ok', found: { text: 'It asks for a token, as it must.' } }
      : {
          state: 'broken',
          found: { text: 'It answers {status} without a token, where 401 is right.', values: { status } },
          change: { text: 'Check the userinfo address (userinfo_endpoint).' },
        },
});
