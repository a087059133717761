// What no single key of a broker's configuration can say: an issuer, or the four keys of plain OAuth 2.0.
import type { MethodConfig } from '../kind.ts';

const PLAIN_OAUTH = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'subject_claim'];

/** An issuer that is written as the address of its metadata. */
const WELL_KNOWN = /\/\.well-known\/.*$/;

export function brokerFaults(config: MethodConfig): { path: string[]; message: string }[] {
  const faults: { path: string[]; message: string }[] = [];
  const { issuer } = config;
  if (typeof issuer === 'string' && WELL_KNOWN.test(issuer))
    faults.push({ path: ['issuer'], message: 'must be the issuer itself: leave off /.well-known/…' });
  if ('issuer' in config && config['answer_issuer'] !== undefined)
    faults.push({ path: ['answer_issuer'], message: 'must not stand beside issuer' });
  for (const key of PLAIN_OAUTH) {
    if ('issuer' in config && key in config)
      faults.push({ path: [key], message: 'must not stand beside issuer' });
    else if (!('issuer' in config) && !(key in config))
      faults.push({ path: [key], message: 'is missing: a broker needs issuer, or all four of these' });
  }
  return faults;
}

/** The address of its metadata names the same issuer. */
export const namedIssuer = ({ issuer }: MethodConfig): unknown =>
  typeof issuer === 'string' ? issuer.replace(WELL_KNOWN, '') : issuer;
