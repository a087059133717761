import { Say } from '#app/(console)/_texts/say.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import type { InvitationRow } from '#lib/registry/objects/invitation.ts';

/** Beside its address: what was typed of an invitation, and is shown to the invited person. */
export function InvitationFacts({ of }: { of: InvitationRow }) {
  const { name, authMethodId, invitedByEmail, createdAt, expiresAt } = of;
  const values = {
    method: <code>{authMethodId}</code>,
    time: <When at={createdAt} />,
    until: <When at={expiresAt} />,
  };
  return (
    <>
      {name !== '' && (
        <>
          <bdi>{name}</bdi> ·{' '}
        </>
      )}
      {invitedByEmail === null ? (
        <Say text="{method} · {time} · until {until}" values={values} />
      ) : (
        <Say
          text="{method} · by {who} {time} · until {until}"
          values={{ ...values, who: <bdi>{invitedByEmail}</bdi> }}
        />
      )}
    </>
  );
}
