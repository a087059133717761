// POST /consent/submit: remembers a yes, passes on a no. The session that the page asked must still be this browser's
// (a page left open while somebody else signed in gives nothing away), and what the page showed is what is granted.
import { authMethod } from '#lib/auth-methods/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { readSessionHash } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, grantConsent, loadAuthorizeFacts } from '#lib/store/index.ts';
import { allowance, sealInteraction } from '../authorize/interaction.ts';
import { ForgedForm } from '../errors.ts';
import { consentShown, digestOf } from './consent-shown.ts';
import { continueLocation, readHostedForm } from './form.ts';
import { requestOf } from './views.ts';

const CHANGED =
  'What is asked of you has changed since you opened this page. Nothing was shared. Look again, then decide.';

export async function handleConsent(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const { authMethodId, apiId } = interaction;
  const session = await readSessionHash(request.headers['cookie'], authMethodId);
  if (!session || session.toString('base64url') !== interaction.asked) {
    throw new ForgedForm('the session is not the one that was asked');
  }
  const { asked, shown, signedIn, ...rest } = interaction;
  if (fields.has('switch')) {
    const location = (await asksBroker(authMethodId))
      ? continueLocation({ ...rest, switching: true })
      : `${settings().authUrl}/login?interaction=${sealInteraction(rest)}`;
    return redirect(303, location);
  }
  const decision = fields.get('decision');
  if (decision === 'deny') return redirect(303, continueLocation({ ...rest, denied: true }));
  if (decision !== 'allow') throw new ForgedForm('the form holds no decision');

  const authorize = await requestOf(interaction);
  const clientId = authorize.client.clientId;
  const facts = await loadAuthorizeFacts({
    idHash: session,
    authMethodId,
    clientId,
    apiId,
    idleSeconds: settings().sessionIdleSeconds,
  });
  if (!facts) throw new ForgedForm('the session has ended');
  if (shown !== digestOf(consentShown(authorize, facts))) {
    const sealed = sealInteraction({ ...rest, asked, ...kept(signedIn), alert: CHANGED });
    return redirect(303, `${settings().authUrl}/consent?interaction=${sealed}`);
  }
  const granted = await grantConsent({
    sessionHash: session,
    clientId,
    apiId,
    authMethodId,
    scopes: authorize.scopes,
    requestId: request.requestId,
    ip: callerAddress(request, settings().trustProxy),
  });
  if (!granted) throw new ForgedForm('the session has ended');
  const allowed = allowance(asked, authorize.scopes);
  return redirect(303, continueLocation({ ...rest, allowed, ...kept(signedIn) }));
}

const kept = (signedIn: string | undefined) => (signedIn === undefined ? {} : { signedIn });

/** A form's redirect may not leave this origin (CSP form-action), so the way to a broker begins on a page. */
async function asksBroker(authMethodId: string): Promise<boolean> {
  const method = (await currentSnapshot()).methods.get(authMethodId);
  return method !== undefined && authMethod(method).startSignIn !== undefined;
}
