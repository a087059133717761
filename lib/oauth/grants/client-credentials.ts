// The client credentials grant (RFC 6749 §4.4): a token for the client itself, without a person. For confidential
// clients with an approved machine subscription. The scope is at most the subscription's; there is no refresh token,
// since the client can always ask again.
import type { Params } from '#lib/http/params.ts';
import { giveMachineToken } from '#lib/store/tokens/machine-tokens.ts';
import { mintMachineToken } from '#lib/tokens/machine-token.ts';
import { requireProvedClient } from '../clients/authenticated-client.ts';
import { scopeCeiling } from '../clients/client.ts';
import {
  InvalidScope,
  type OAuthError,
  SlowDown,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import type { Issuer } from '../rules/issuer.ts';
import { parseScope } from '../rules/scope.ts';
import { binding, boundKeys, type GrantContext, type MachineGranted } from './grant.ts';
import { hasMachines } from './machines.ts';

const NO_MACHINE = 'The client_credentials grant needs an approved subscription with machine: true.';
const PUBLIC = 'A public client can not prove that it is the client, so it gets no token in its own name.';
const FULL =
  'This client has too many living tokens: use one until it expires, or revoke those that are not needed.';
const FULL_SECONDS = 60;

/** RFC 6749 §5.2: the grant is unsupported where the metadata do not name it, else this client lacks it. */
function notMachine(issuer: Issuer): OAuthError {
  const why = { reason: 'not-machine' } as const;
  return hasMachines(issuer)
    ? new UnauthorizedClient(NO_MACHINE, why)
    : new UnsupportedGrantType(NO_MACHINE, why);
}

/** The scopes that the client gets in its own name, where it asks for these; undefined: it names none. */
export function machineScopes(
  asked: string | undefined,
  { issuer, client, subscription }: Pick<GrantContext, 'issuer' | 'client' | 'subscription'>,
): string[] {
  if (!subscription.machine) throw notMachine(issuer);
  requireProvedClient(client, PUBLIC, 'machine-public');
  // no person signs in, so there are no claims to tell
  if (asked?.split(' ').includes('openid'))
    throw new InvalidScope("The client_credentials grant gives no ID token: leave out the scope 'openid'.");
  const ceiling = scopeCeiling(issuer.api, subscription);
  return asked === undefined ? ceiling : parseScope(asked, ceiling);
}

export async function clientCredentials({ values }: Params, context: GrantContext): Promise<MachineGranted> {
  const { issuer } = context;
  const asked = values.get('scope');
  const scopes = machineScopes(asked, context);
  const { token, hash } = mintMachineToken(issuer.api);
  const outcome = await giveMachineToken({
    ...binding(context),
    scopes,
    tokenHash: hash,
    jkt: boundKeys(context).jkt,
  });
  if (outcome === 'full') throw new SlowDown(FULL_SECONDS, FULL);
  if (outcome === 'refused') throw new UnauthorizedClient(NO_MACHINE);
  return { token, scopes };
}
