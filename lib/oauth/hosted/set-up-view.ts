// What the page /set-up shows: a passkey or an authenticator app to set up, and whether that may wait.
import { passkeyRegistration } from '#lib/factors/passkeys-registration.ts';
import { describeTotp, newTotp, openPendingTotp, sealPendingTotp } from '#lib/factors/totp.ts';
import type { Told } from '#lib/language/message.ts';
import { settings } from '#lib/settings/settings.ts';
import { beginGrace } from '#lib/store/sign-in/second-factor.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { type ApiView, apiView, type ClientView, clientView } from '../pages/consent-shown.ts';
import { continueLocation } from '../pages/form.ts';
import { type Onward, passedBy } from './confirm-view.ts';
import { type AskedSession, askedOf, mayAddFactor, onward } from './second-factor.ts';
import { NOT_WORKING, openHostedPage, type PageInput, type Unusable } from './views.ts';

export type SetUpView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      label: string;
      /** the language of the person's profile */
      locale: string | null;
      alert: Told | null;
      /** not required: it is an offer */
      offer: boolean;
      passkey: { options: string; state: string };
      /** null: the person has an app already, or one is not enough */
      totp: { spelled: string; uri: string; svg: string; pending: string } | null;
      /** may it wait? `until`: a moment after which it may not; null: for good */
      later: { until: Date | null } | null;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

/** May it wait? The grace begins when the page is first shown. */
export async function laterFor({ why, facts }: AskedSession): Promise<{ until: Date | null } | null> {
  if (why === 'offer') return { until: null };
  const days = settings().secondFactorGraceDays;
  if (why !== 'grace' || days === 0) return null;
  const grace = await beginGrace(facts.personId, days);
  return grace?.lasts ? { until: grace.until } : null;
}

/** An app gives level 2, and another one is added on the account page. */
export const mayAddTotp = ({ level, facts }: AskedSession): boolean => level === 2 && !facts.hasTotp;

/** Where a person without a recent proof is sent: to a sign-in, or to the factor that they have. */
export function proofFirst(interaction: Interaction, { facts }: AskedSession): string {
  const { proved, ...next } = onward(interaction);
  return continueLocation(facts.factorLevel === 0 || facts.level >= 2 ? { ...next, switching: true } : next);
}

const SIGN_IN_FIRST = {
  heading: 'factor.sign_in_first',
  message: 'factor.sign_in_first_lead',
} as const;

export async function viewSetUp(input: PageInput): Promise<SetUpView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, browser, sealed, antiForgery } = page;
  const asked = await askedOf(interaction, input.cookie);
  if (asked === null) return NOT_WORKING;
  if (asked.kind === 'elsewhere') return passedBy(asked);
  if (!mayAddFactor(interaction, asked))
    return { kind: 'onward', ...SIGN_IN_FIRST, href: proofFirst(interaction, asked) };
  const { personId, label, locale } = asked.facts;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label,
    locale,
    alert: interaction.alert ?? null,
    offer: asked.why === 'offer',
    passkey: await passkeyRegistration({ personId, label, name: label, browser }),
    totp: mayAddTotp(asked) ? await shownTotp(interaction, personId, label) : null,
    later: await laterFor(asked),
    interaction: sealed,
    antiForgery,
  };
}

/** The one that the person has put into their app already, if this is the page again. */
async function shownTotp({ pendingTotp }: Interaction, personId: string, label: string) {
  const kept = pendingTotp === undefined ? null : openPendingTotp(personId, pendingTotp);
  const { secret, spelled, uri, svg } = await (kept === null
    ? newTotp({ label })
    : describeTotp({ label, secret: kept.secret }));
  return {
    spelled,
    uri,
    svg,
    pending: kept && pendingTotp ? pendingTotp : sealPendingTotp(personId, secret),
  };
}
