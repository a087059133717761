import { When } from '#app/(console)/_ui/when.tsx';
import type { InvitationRow } from '#lib/registry/index.ts';

/** Beside its address: what was typed of an invitation, and is shown to the invited person. */
export function InvitationFacts({ of }: { of: InvitationRow }) {
  const { name, authMethodId, invitedByEmail, createdAt, expiresAt } = of;
  return (
    <>
      {name !== '' && (
        <>
          <bdi>{name}</bdi> ·{' '}
        </>
      )}
      <code>{authMethodId}</code> ·{' '}
      {invitedByEmail !== null && (
        <>
          by <bdi>{invitedByEmail}</bdi>{' '}
        </>
      )}
      <When at={createdAt} /> · until <When at={expiresAt} />
    </>
  );
}
