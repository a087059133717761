// A person's yes to what a page showed is kept as their consent, where the session that was asked still allows it.
import type { HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { settings } from '#lib/settings/settings.ts';
import { grantConsent } from '#lib/store/tokens/consent-grant.ts';
import { askingOf } from '../authorize-request/decide.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { strengthAsked } from '../authorize-request/second-factor.ts';

type Yes = {
  authorize: AuthorizeRequest;
  interaction: Interaction;
  session: Buffer;
  /** of the person, as the page named them */
  label: string;
};

export function rememberYes(request: HttpRequest, { authorize, interaction, session, label }: Yes) {
  const { sessionIdleSeconds, secondFactorGraceDays: graceDays, trustedBrowserDays, trustProxy } = settings();
  const asked = session.toString('base64url');
  const question = { request: authorize, session: asked, interaction, expectedPersonId: null, graceDays };
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
