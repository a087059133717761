// Authentication context classes, in rising order. What a broker says of its own classes is passed on as `broker_acr`, and
// is never one of these.
import type { SnapshotMethod } from '#lib/store/index.ts';

const PASSWORD = 'urn:gatehouse:acr:password';

/** The class of a sign-in that is known to have gone this way (RFC 8176); null: the broker knows. */
export function acrOf(method: SnapshotMethod, amr: readonly string[]): string | null {
  return method.type !== 'broker' && amr.includes('pwd') ? PASSWORD : null;
}

/** For the metadata of an issuer; undefined leaves the member out, since a list there is never empty (RFC 8414 §3.2). */
export function supportedAcrs(method: SnapshotMethod): string[] | undefined {
  return method.type === 'broker' ? undefined : [PASSWORD];
}
