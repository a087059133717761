// POST /set-up/submit: a passkey or an authenticator app is added, and the session is raised by it, since to add one is to prove it.
// Then the recovery codes, which this answer alone shows (docs/decisions/0056).

import {
  enrollTotp,
  type FactorProof,
  makeRecoveryCodes,
  openPendingTotp,
  registerPasskey,
  TOTP_PROOF,
} from '#lib/factors/index.ts';
import { type Answer, callerAddress, type HttpRequest, html, redirect, renderPage } from '#lib/http/index.ts';
import { randomToken } from '#lib/kit/index.ts';
import type { Words } from '#lib/language/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import { tellOfFactor } from '#lib/mail/index.ts';
import { raiseSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { database, noteOffered, removePasskey, removeTotp } from '#lib/store/index.ts';
import { type Interaction, sealInteraction } from '../authorize-request/index.ts';
import { ForgedForm } from '../errors/index.ts';
import { continueLocation, pageWords, readHostedForm } from '../pages/index.ts';
import {
  type AskedSession,
  askedOf,
  mayAddFactor,
  onward,
  provedLocation,
  SLOW_DOWN,
  signedOut,
} from './second-factor.ts';
import { laterFor, mayAddTotp, proofFirst } from './set-up-view.ts';

const WORDS = {
  wrong: 'That code is not right. Look at your app again: it shows a new one every 30 seconds.',
  'slow-down': SLOW_DOWN,
  exists: 'You have an authenticator app already. Load this page again.',
  expired: 'This page was open for too long. Add the account to your app once more.',
};

export async function handleSetUp(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const cookie = request.headers['cookie'];
  const asked = await askedOf(interaction, cookie);
  if (asked === null) throw new ForgedForm('the session was not asked to set anything up');
  if (asked.kind === 'elsewhere') return redirect(303, asked.location);
  if (fields.has('later')) return postpone(interaction, asked);
  if (!mayAddFactor(interaction, asked)) return redirect(303, proofFirst(interaction, asked));
  const context = { requestId: request.requestId, ip: callerAddress(request, settings().trustProxy) };
  const given = { fields, interaction, asked, context };
  const added = await (fields.get('credential') ? addPasskey(given) : addTotp(given));
  if ('alert' in added) {
    const location = `${settings().authUrl}/set-up?interaction=${sealInteraction({ ...interaction, ...added })}`;
    return redirect(303, location);
  }
  const { personId, email, locale, recoveryCodes } = asked.facts;
  const raised = await raiseSession({
    cookieHeader: cookie,
    authMethodId: interaction.authMethodId,
    personId,
    proof: added.proof,
    ...context,
    userAgent: request.headers['user-agent'] ?? null,
  });
  if (!raised) {
    // a reset, a new password or a sign-out everywhere was quicker: what was just added goes again
    await added.takeBack();
    return redirect(303, (await signedOut(interaction)).location);
  }
  const words = pageWords(request.headers, fields.get('interaction'), locale);
  const to = { email, locale, pageLanguage: words.language };
  tellOfFactor(to, added.proof.kind === 'passkey' ? 'passkey-added' : 'app-added', 'Passkey');
  const location = provedLocation(interaction, raised.idHash.toString('base64url'));
  const headers = { 'set-cookie': raised.cookies };
  if (recoveryCodes > 0) return redirect(303, location, headers);
  const codes = await makeRecoveryCodes(personId, undefined, context);
  return showRecoveryCodes(codes, words, location, headers);
}

async function postpone(interaction: Interaction, asked: AskedSession): Promise<Answer> {
  const later = await laterFor(asked);
  if (asked.why === 'offer') await noteOffered(asked.facts.personId);
  // the grace is over: authorize says so, and asks again
  const next = onward(interaction);
  return redirect(303, continueLocation(later ? { ...next, postponed: asked.session } : next));
}

type Given = {
  fields: ReadonlyMap<string, string>;
  interaction: Interaction;
  asked: AskedSession;
  context: { requestId: string; ip: string | null };
};
type NewFactor = { proof: FactorProof; takeBack: () => Promise<unknown> };
/** What the page says, and the app that it shows again. */
type Again = { alert: string; pendingTotp?: string };

async function addPasskey({ fields, interaction, asked, context }: Given): Promise<NewFactor | Again> {
  const { personId } = asked.facts;
  const registered = await registerPasskey({
    personId,
    browser: interaction.browser,
    state: fields.get('passkey_state') ?? '',
    response: fields.get('credential') ?? '',
    name: '',
    context,
  });
  if (registered.kind !== 'registered') return { alert: wordsOf('en').t(registered.code) };
  const id = registered.passkey.credentialId.toString('base64url');
  return { proof: registered.proof, takeBack: async () => removePasskey(await database(), personId, id) };
}

async function addTotp({ fields, asked, context }: Given): Promise<NewFactor | Again> {
  const { personId } = asked.facts;
  const pendingTotp = fields.get('pending') ?? '';
  const secret = openPendingTotp(personId, pendingTotp);
  if (secret === null) return { alert: WORDS.expired };
  if (!mayAddTotp(asked)) return { alert: WORDS.exists };
  const code = fields.get('code')?.slice(0, 100) ?? '';
  const outcome = await enrollTotp({ personId, secret, code, ...context });
  if (outcome !== 'enrolled') return { alert: WORDS[outcome], pendingTotp };
  return { proof: TOTP_PROOF, takeBack: async () => removeTotp(await database(), personId) };
}

function showRecoveryCodes(
  codes: readonly string[],
  words: Words,
  href: string,
  headers: Record<string, string[]>,
): Answer {
  const nonce = randomToken('');
  const page = renderPage(
    {
      title: 'Recovery codes',
      heading: 'Keep your recovery codes',
      message:
        'Should you lose your second step, each of these stands in for it once. They are shown now and never again.',
      codes: { label: 'Recovery codes', values: codes, nonce },
      link: { href, label: 'Continue' },
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, nonce, headers });
}
