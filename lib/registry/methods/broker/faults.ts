// What no single key of a broker's configuration can say: an issuer, or the four keys of plain OAuth 2.0.
import type { MethodConfig } from '../kind.ts';

const ADDRESSES = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
const PLAIN_OAUTH = [...ADDRESSES, 'subject_claim'];
/** Of plain OAuth 2.0, and may be left out. */
const PLAIN_ALONE = ['answer_issuer', 'emails_endpoint'];
/** What tells an answer to this sign-in from an injected one; without it, our secret at least must be needed. */
const PROOFS = ['nonce', 'pkce'];

/** An issuer that is written as the address of its metadata. */
const WELL_KNOWN = /\/\.well-known\/.*$/;

export function brokerFaults(config: MethodConfig): { path: string[]; message: string }[] {
  const faults: { path: string[]; message: string }[] = [];
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

/** `hasSecret`: one is given, or stored. */
export function brokerSecretFaults(config: MethodConfig, { hasSecret }: { hasSecret: boolean }) {
  return PROOFS.filter((key) => config[key] === false && !hasSecret).map((key) => ({
    path: [key],
    message: 'must not be false without a client secret',
  }));
}

/** The address of its metadata names the same issuer. */
export const namedIssuer = ({ issuer }: MethodConfig): unknown =>
  typeof issuer === 'string' ? issuer.replace(WELL_KNOWN, '') : issuer;
