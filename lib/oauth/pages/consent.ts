// The consent page and its form.

import { callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, redirect } from '#lib/http/message.ts';
import type { Told } from '#lib/language/message.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { antiForgeryToken } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { grantConsent } from '#lib/store/hot/authorize.ts';
import { findSignedInLabel } from '#lib/store/hot/sessions.ts';
import { allowance, type Interaction, sealInteraction, strengthAsked } from '../authorize/interaction.ts';
import { type AuthorizeRequest, askingOf, forSession, onRegistryOf } from '../authorize/request.ts';
import { ForgedForm } from '../errors.ts';
import {
  type ConsentShown,
  consentShown,
  continueLocation,
  digestOf,
  NOT_WORKING,
  openHostedPage,
  type PageInput,
  readHostedForm,
  type Unusable,
} from './frame.ts';
import { asksBroker } from './second-step.ts';

// Stores the approval of a shown page as a consent, if the session of the page still permits it.

type Yes = {
  authorize: AuthorizeRequest;
  interaction: Interaction;
  session: Buffer;
  /** label of the user as shown on the page */
  label: string;
};

export function rememberYes(request: HttpRequest, { authorize, interaction, session, label }: Yes) {
  const { sessionIdleSeconds, secondFactorGraceDays: graceDays, trustedBrowserDays, trustProxy } = settings();
  const sessionText = session.toString('base64url');
  const question = {
    request: authorize,
    session: sessionText,
    interaction,
    expectedPersonId: null,
    graceDays,
  };
  const { issuer, client, consentSince, consentScopes } = authorize;
  return grantConsent({
    version: issuer.snapshot.version,
    sessionHash: session,
    idleSeconds: sessionIdleSeconds,
    strength: strengthAsked(askingOf(question), trustedBrowserDays),
    label,
    clientId: client.clientId,
    apiId: interaction.apiId,
    authMethodId: interaction.authMethodId,
    scopes: consentScopes,
    consentSince,
    identityChangedAt: client.identityChangedAt,
    requestId: request.requestId,
    ip: callerAddress(request, trustProxy),
  });
}

// POST /consent/submit: stores an approval, or forwards a denial. The browser's session must equal the page's session,
// because another user may have signed in. The stored consent equals the content of the page.

export async function handleConsent(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const { authMethodId } = interaction;
  const session = await readSessionHash(request.headers['cookie'], authMethodId);
  if (!session || session.toString('base64url') !== interaction.asked) {
    throw new ForgedForm('the session is not the one that was asked');
  }
  const { asked, shown, signedIn, ...rest } = interaction;
  const signInPart = signedIn === undefined ? {} : { signedIn };
  if (fields.has('switch')) {
    const location = (await asksBroker(authMethodId))
      ? continueLocation({ ...rest, switching: true })
      : `${settings().authUrl}/login?interaction=${sealInteraction(rest)}`;
    return redirect(303, location);
  }
  const decision = fields.get('decision');
  if (decision === 'deny') return redirect(303, continueLocation({ ...rest, denied: true }));
  if (decision !== 'allow') throw new ForgedForm('the form holds no decision');

  return onRegistryOf(interaction, async (requested) => {
    const authorize = await forSession(requested, session);
    const unchanged = shown && shown.digest === digestOf(consentShown(authorize, shown.label));
    const outcome = unchanged
      ? await rememberYes(request, { authorize, interaction, session, label: shown.label })
      : 'changed';
    // the user or API now requires a second factor, which must be proved first
    if (outcome === 'too-weak') return redirect(303, continueLocation({ ...rest, ...signInPart }));
    if (outcome === 'signed-out') throw new ForgedForm('the session has ended');
    if (outcome === 'granted')
      return redirect(
        303,
        continueLocation({ ...rest, ...signInPart, allowed: allowance(asked, authorize.consentScopes) }),
      );
    const sealed = sealInteraction({ ...rest, ...signInPart, asked, alert: 'consent.changed' });
    return redirect(303, `${settings().authUrl}/consent?interaction=${sealed}`);
  });
}

// Contents of the consent page.

export type ConsentView =
  | (ConsentShown & {
      kind: 'ready';
      /** language in the user's profile */
      locale: string | null;
      alert: Told | null;
      interaction: string;
      antiForgery: string;
    })
  | Unusable;

export async function viewConsent(input: PageInput): Promise<ConsentView> {
  const hostedPage = await openHostedPage(input);
  if ('kind' in hostedPage) return hostedPage;
  const { request, interaction, browser } = hostedPage;
  const { method } = request.issuer;
  const session = await readSessionHash(input.cookie, method.id);
  if (!session || session.toString('base64url') !== interaction.asked) return NOT_WORKING;
  const idleSeconds = settings().sessionIdleSeconds;
  const signedInLabel = await findSignedInLabel({ idHash: session, authMethodId: method.id, idleSeconds });
  if (signedInLabel === null) return NOT_WORKING;
  const { label, locale } = signedInLabel;
  const consentContent = consentShown(await forSession(request, session), label);
  const { alert = null, ...rest } = interaction;
  const sealed = sealInteraction({ ...rest, shown: { label, digest: digestOf(consentContent) } });
  return {
    kind: 'ready',
    ...consentContent,
    locale,
    alert,
    interaction: sealed,
    antiForgery: antiForgeryToken(browser, sealed),
  };
}
