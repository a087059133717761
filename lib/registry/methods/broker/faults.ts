// What no single key of a broker's configuration can say: an issuer, or the four keys of plain OAuth 2.0.
import type { MethodConfig } from '../kind.ts';
import { presetFaults } from './preset-faults.ts';
import { withPreset } from './presets.ts';
import { isPrivateKey, signingKeyPem } from './signed-secret.ts';
import { MICROSOFT, namedWithTid } from './tenants.ts';

const ADDRESSES = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
const PLAIN_OAUTH = [...ADDRESSES, 'subject_claim'];
/** Of plain OAuth 2.0, and may be left out. */
const PLAIN_ALONE = ['answer_issuer', 'emails_endpoint'];
/** What tells an answer to this sign-in from an injected one; without it, our secret at least must be needed. */
const PROOFS = ['nonce', 'pkce'];

/** An issuer that is written as the address of its metadata. */
const WELL_KNOWN = /\/\.well-known\/.*$/;

type Fault = { path: string[]; message: string };

export function brokerFaults(config: MethodConfig): Fault[] {
  const faults = presetFaults(config);
  // what is wrong with the keys of a preset comes first: without them, what it fills in makes no sense
  if (faults.length === 0) faults.push(...faultsOfWhole(withPreset(config)));
  return faults;
}

function faultsOfWhole(config: MethodConfig): Fault[] {
  const faults: Fault[] = [];
  const { issuer } = config;
  if (typeof issuer === 'string' && WELL_KNOWN.test(issuer))
    faults.push({ path: ['issuer'], message: 'must be the issuer itself: leave off /.well-known/…' });
  const others =
    'issuer' in config ? [...PLAIN_ALONE, ...ADDRESSES].filter((key) => isSaid(config, key)) : [];
  const missing = 'issuer' in config ? [] : PLAIN_OAUTH.filter((key) => !(key in config));
  for (const key of others) faults.push({ path: [key], message: 'must not stand beside issuer' });
  for (const key of missing)
    faults.push({ path: [key], message: 'is missing: a broker needs issuer, or all four of these' });
  for (const key of PROOFS)
    if (config[key] === false && config['shared_callback'] === true)
      faults.push({ path: [key], message: 'must not be false with the shared redirect address' });
  return faults;
}

const isSaid = (config: MethodConfig, key: string) => config[key] !== undefined;

/** `hasSecret`: one is given, or stored and kept. */
export function brokerSecretFaults(
  config: MethodConfig,
  { hasSecret, secret }: { hasSecret: boolean; secret: string | undefined },
): Fault[] {
  const whole = withPreset(config);
  const faults = PROOFS.filter((key) => whole[key] === false && !hasSecret).map((key) =>
    config[key] === false
      ? { path: [key], message: 'must not be false without a client secret' }
      : { path: ['preset'], message: 'needs a client secret' },
  );
  const signs = config['signed_secret'] !== undefined;
  if (!signs && secret !== undefined && isPrivateKey(secret))
    faults.push({ path: ['signed_secret'], message: 'is missing' });
  if (signs && (secret === undefined ? !hasSecret : signingKeyPem(secret) === null))
    faults.push({
      path: ['signed_secret'],
      message: 'needs a private key of P-256 (PKCS#8), as it was downloaded',
    });
  return faults;
}

/** The address of its metadata names the same issuer. */
const namedIssuer = ({ issuer }: MethodConfig): unknown =>
  typeof issuer === 'string' ? issuer.replace(WELL_KNOWN, '') : issuer;

/** Another tenant in the list makes no other people. */
export function whoAnswersAt(config: MethodConfig): readonly unknown[] {
  const whole = withPreset(config);
  if (namedWithTid(config)) return [MICROSOFT, whole['userinfo_endpoint'], `tid/${whole['subject_claim']}`];
  const claim = whole['subject_claim'];
  // sub is what an ID token names a person by
  const named = 'issuer' in whole && claim === 'sub' ? undefined : claim;
  return [namedIssuer(whole), whole['userinfo_endpoint'], named];
}
