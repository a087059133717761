// What the page /confirm shows: who is asked, and for which of their factors.
import { passkeyChallenge } from '#lib/factors/passkeys-proof.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import { settings } from '#lib/settings/settings.ts';
import { sealInteraction } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { type ApiView, apiView, type ClientView, clientView } from '../pages/consent-shown.ts';
import { askedOf, proofsFor } from './second-factor.ts';
import { NOT_WORKING, openHostedPage, type PageInput, type Unusable } from './views.ts';

/** A page that has nothing to ask, and the way on. */
export type Onward = { kind: 'onward'; heading: Plain; message: Plain; href: string };

export type ConfirmView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      /** how the person is named */
      label: string;
      /** the language of the person's profile */
      locale: string | null;
      alert: Told | null;
      /** which field is shown; null: there is nothing to type */
      field: 'code' | 'recovery code' | null;
      /** the address of the page with the other field; null: there is none */
      other: string | null;
      /** what the browser is asked for, and what comes back with it */
      passkey: { options: string; state: string } | null;
      /** for how many days this browser may be spared the question; null: it may not */
      spareDays: number | null;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

const DONE = {
  heading: 'factor.done_before',
  message: 'factor.done_elsewhere',
} as const;
const SIGNED_OUT = {
  heading: 'sign_out.done',
  message: 'factor.ended',
} as const;

/** A page that a form or another tab was quicker than, and one whose session has ended. */
export const passedBy = ({
  because,
  location: href,
}: {
  because: 'done' | 'ended';
  location: string;
}): Onward => ({
  kind: 'onward',
  ...(because === 'done' ? DONE : SIGNED_OUT),
  href,
});

/** May a browser be spared the question? Where the request needs this strength, none is. */
export const maySpare = ({ strength }: AuthorizeRequest): boolean =>
  settings().trustedBrowserDays > 0 && (strength.level === null || strength.level === 1);

export async function viewConfirm(input: PageInput & { with?: string | undefined }): Promise<ConfirmView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, browser, sealed, antiForgery } = page;
  const asked = await askedOf(interaction, input.cookie);
  if (asked === null) return NOT_WORKING;
  if (asked.kind === 'elsewhere') return passedBy(asked);
  const { personId, label, locale } = asked.facts;
  const { passkey, totp, recovery } = proofsFor(asked);
  const byRecovery = recovery && (input.with === 'recovery' || !(totp || passkey));
  // what was wrong with one kind of code is not said beside the field for the other
  const { alert, ...unsaid } = interaction;
  const fresh = alert === undefined ? sealed : sealInteraction(unsaid);
  const here = `${settings().authUrl}/confirm?interaction=${fresh}`;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label,
    locale,
    alert: alert ?? null,
    field: byRecovery ? 'recovery code' : totp ? 'code' : null,
    other: byRecovery ? (totp || passkey ? here : null) : recovery ? `${here}&with=recovery` : null,
    passkey: passkey ? await passkeyChallenge({ browser, personId }) : null,
    spareDays: maySpare(request) ? settings().trustedBrowserDays : null,
    interaction: sealed,
    antiForgery,
  };
}
