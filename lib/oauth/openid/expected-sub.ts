// The person that an authorize request demands (OpenID Connect Core §3.1.2.1 `id_token_hint`, §5.5.1 `sub`).
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { InvalidRequest, LoginRequired } from '../errors/errors.ts';
import type { Issuer } from '../rules/issuer.ts';
import { isPossibleSub } from '../rules/subject.ts';
import { hintedSub } from './hint.ts';
import { type Demanded, demandedSub } from './request.ts';

/** By id_token_hint or by claims; null: anyone who signs in. LoginRequired where no person can be it. */
export function expectedSubOf(
  { issuer, client }: { issuer: Issuer; client: SnapshotClient },
  hint: string | undefined,
  claims: Demanded,
): string | null {
  const hinted = hintedSub(issuer, hint);
  const demanded = demandedSub(claims);
  if (demanded !== null && !isPossibleSub(client, demanded, issuer))
    throw new LoginRequired('claims asks for a sub that nobody here has.');
  // the client was told so before its subjects changed, or another client was
  if (hinted !== null && !isPossibleSub(client, hinted, issuer))
    throw new LoginRequired('id_token_hint has a sub that nobody here has for this client.');
  if (hinted !== null && demanded !== null && hinted !== demanded)
    throw new InvalidRequest('id_token_hint and claims name different people.');
  return hinted ?? demanded;
}
