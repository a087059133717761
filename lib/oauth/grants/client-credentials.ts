// The client credentials grant (RFC 6749 §4.4): a token for the client itself, with nobody signed in. For confidential clients
// with an approved machine subscription. The scope is at most the subscription's; there is no refresh token, since the client
// can always ask again.
import type { Params } from '#lib/http/index.ts';
import { giveMachineToken } from '#lib/store/index.ts';
import { mintMachineToken } from '#lib/tokens/index.ts';
import { scopeCeiling } from '../client.ts';
import { InvalidScope, SlowDown, UnauthorizedClient, UnsupportedGrantType } from '../errors.ts';
import { parseScope } from '../scope.ts';
import { binding, type GrantContext, type MachineGranted } from './grant.ts';

const NO_MACHINE = 'The client_credentials grant needs an approved subscription with machine: true.';
const PUBLIC = 'A public client can not prove that it is the client, so it gets no token in its own name.';
const FULL =
  'This client has too many living tokens: use one until it expires, or revoke those that are not needed.';
const FULL_SECONDS = 60;

export async function clientCredentials({ values }: Params, context: GrantContext): Promise<MachineGranted> {
  const { issuer, client, subscription } = context;
  // who has not asked to be a machine is not offered the grant at all (case PW-15)
  if (!subscription.machine) throw new UnsupportedGrantType(NO_MACHINE, { reason: 'not-machine' });
  if (!client.confidential) throw new UnauthorizedClient(PUBLIC, { reason: 'machine-public' });
  const asked = values.get('scope');
  // nobody signs in, so there is nobody to tell of
  if (asked?.split(' ').includes('openid'))
    throw new InvalidScope("The client_credentials grant gives no ID token: leave out the scope 'openid'.");
  const ceiling = scopeCeiling(issuer.api, subscription);
  const scopes = asked === undefined ? ceiling : parseScope(asked, ceiling);
  const { token, hash } = mintMachineToken(issuer.api, client.clientId);
  const outcome = await giveMachineToken({ ...binding(context), scopes, tokenHash: hash });
  if (outcome === 'full') throw new SlowDown(FULL_SECONDS, FULL);
  if (outcome === 'refused') throw new UnauthorizedClient(NO_MACHINE);
  return { token, scopes, scopeAsAsked: asked !== undefined };
}
