// Does an API have machines? Where no client may have tokens in its own name there, its issuers do not offer
// client_credentials.
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import type { Issuer } from '../rules/issuer.ts';

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
