// A change that breaks something is saved only by a form that showed what. The form carries a digest of what it showed:
// where the consequences are others by now, they are shown again.
import { sha256 } from '#lib/kit/index.ts';
import type { Consequences } from '#lib/management/index.ts';
import type { Fields } from './fields.ts';

export function fingerprint(consequences: Consequences): string {
  return sha256(JSON.stringify(consequences)).toString('base64url').slice(0, 16);
}

function breaksNothing(consequences: Consequences): boolean {
  const { warnings, returnsToPending, losesAccess, endsTokens } = consequences;
  return warnings.length + returnsToPending.length + losesAccess.length + endsTokens === 0;
}

/** What is wrong is for the operation to say, which saves nothing then. */
export function mustConfirm(consequences: Consequences, fields: Fields): boolean {
  if (consequences.faults.length > 0 || breaksNothing(consequences)) return false;
  return fields.one('confirmed') !== fingerprint(consequences);
}
