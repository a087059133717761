// The client credentials grant (RFC 6749 §4.4): a token for the client itself, without a person. For confidential
// clients with an approved machine subscription. The scope is at most the subscription's; there is no refresh token,
// since the client can always ask again.
import type { Params } from '#lib/http/params.ts';
import { giveMachineToken } from '#lib/store/hot/access-tokens.ts';
import type { Snapshot } from '#lib/store/snapshot.ts';
import { mintMachineToken } from '#lib/tokens/access-token.ts';
import { requireProvedClient, scopeCeiling } from '../client.ts';
import {
  type DeclaredError,
  InvalidScope,
  type OAuthError,
  refuses,
  SlowDown,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { parseScope } from '../rules.ts';
import { binding, boundKeys, type GrantContext, type MachineGranted } from './grant.ts';

// Does an API have machines? Where no client may have tokens in its own name there, its issuers do not offer
// client_credentials.

/** The APIs with machines. By the map of clients, which is replaced whenever one changes. */
const known = new WeakMap<Snapshot['clients'], ReadonlySet<string>>();

/** Is a subscription of any client to this API approved as a machine's? */
export function hasMachines({ snapshot, api }: Issuer): boolean {
  let apis = known.get(snapshot.clients);
  if (!apis) {
    apis = apisWithMachines(snapshot);
    known.set(snapshot.clients, apis);
  }
  return apis.has(api.id);
}

function apisWithMachines({ clients }: Snapshot): ReadonlySet<string> {
  const apis = new Set<string>();
  for (const { subscriptions } of clients.values())
    for (const { apiId, machine, state } of subscriptions)
      if (machine && state === 'approved') apis.add(apiId);
  return apis;
}

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

// What the token endpoint refuses of a client that asks in its own name (RFC 6749 §4.4).

export const machineErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'The client_credentials grant for a public client, or without an approved subscription.',
    'The client_credentials grant for a client whose subscription does not say `machine: true`, at an API that has machines.',
  ]),
  ...refuses(UnsupportedGrantType, [
    'The client_credentials grant at an API without machines: the metadata do not name it there.',
  ]),
  ...refuses(InvalidScope, [
    'The client_credentials grant with the scope `openid`, or with one that the API or the subscription does not have.',
  ]),
  ...refuses(SlowDown, [
    'The client has 10,000 living tokens in its own name. `Retry-After` says how many seconds to wait; revoked tokens make room at once.',
  ]),
];
