// POST /consent/submit: remembers a yes, passes on a no. The session that the page asked must still be this browser's
// (another person may have signed in since), and what the page showed is what is granted.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { redirect } from '#lib/http/respond.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { forSession } from '../authorize-request/for-person.ts';
import { allowance, sealInteraction } from '../authorize-request/interaction.ts';
import { onRegistryOf } from '../authorize-request/interrupted-request.ts';
import { ForgedForm } from '../errors/errors.ts';
import { consentShown, digestOf } from '../pages/consent-shown.ts';
import { continueLocation, readHostedForm } from '../pages/form.ts';
import { rememberYes } from './remember-yes.ts';
import { asksBroker } from './second-factor.ts';

export async function handleConsent(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const { authMethodId } = interaction;
  const session = await readSessionHash(request.headers['cookie'], authMethodId);
  if (!session || session.toString('base64url') !== interaction.asked) {
    throw new ForgedForm('the session is not the one that was asked');
  }
  const { asked, shown, signedIn, ...rest } = interaction;
  const kept = signedIn === undefined ? {} : { signedIn };
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
    // the person has a second factor since, or the API wants one: that is asked for first
    if (outcome === 'too-weak') return redirect(303, continueLocation({ ...rest, ...kept }));
    if (outcome === 'signed-out') throw new ForgedForm('the session has ended');
    if (outcome === 'granted')
      return redirect(
        303,
        continueLocation({ ...rest, ...kept, allowed: allowance(asked, authorize.consentScopes) }),
      );
    const sealed = sealInteraction({ ...rest, ...kept, asked, alert: 'consent.changed' });
    return redirect(303, `${settings().authUrl}/consent?interaction=${sealed}`);
  });
}
