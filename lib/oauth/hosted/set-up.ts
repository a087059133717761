// POST /set-up/submit: a passkey or an authenticator app is added, and the session is raised by it, since to add one is
// to prove it. Then the recovery codes, which only this answer shows (docs/decisions/0023).

import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { html, redirect } from '#lib/http/respond.ts';
import { randomToken } from '#lib/kit/random.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import type { Words } from '#lib/language/words.ts';
import { raiseSession } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { addFactor } from '#lib/sign-in/new-factor.ts';
import { noteOffered } from '#lib/store/sign-in/second-factor.ts';
import { type Interaction, sealInteraction } from '../authorize-request/interaction.ts';
import { ForgedForm } from '../errors/errors.ts';
import { continueLocation, readHostedForm } from '../pages/form.ts';
import { pageWords } from '../pages/page-words.ts';
import {
  type AskedSession,
  askedOf,
  mayAddFactor,
  onward,
  provedLocation,
  signedOut,
} from './second-factor.ts';
import { laterFor, mayAddTotp, proofFirst } from './set-up-view.ts';

const WORDS = {
  wrong: 'factor.wrong_code_app',
  exists: 'factor.app_exists',
  full: 'factor.app_exists',
  expired: 'factor.open_too_long',
} as const;

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
  const { personId, email, locale } = asked.facts;
  const words = pageWords(request.headers, fields.get('interaction'), locale);
  const reader = { email, locale, pageLanguage: words.language };
  // who has a factor has proved it (`mayAddFactor`)
  const given = givenIn(fields, interaction, asked.facts.factorLevel > 0);
  const added =
    'sealed' in given && !mayAddTotp(asked)
      ? ({ kind: 'exists' } as const)
      : await addFactor({ personId, reader, context }, given, (proof) => {
          const userAgent = request.headers['user-agent'] ?? null;
          const { authMethodId } = interaction;
          return raiseSession({ cookieHeader: cookie, authMethodId, personId, proof, ...context, userAgent });
        });
  if (added.kind === 'ended') return redirect(303, (await signedOut(interaction)).location);
  if (added.kind !== 'added') {
    const alert =
      added.kind === 'slow-down'
        ? tooManyAttempts(added.waitSeconds)
        : added.kind === 'refused'
          ? added.code
          : WORDS[added.kind];
    // the app that the page shows again
    const pendingTotp = 'sealed' in given && added.kind !== 'expired' ? { pendingTotp: given.sealed } : {};
    const sealed = sealInteraction({ ...interaction, alert, ...pendingTotp });
    return redirect(303, `${settings().authUrl}/set-up?interaction=${sealed}`);
  }
  const location = provedLocation(interaction, added.raised.idHash.toString('base64url'));
  const headers = { 'set-cookie': added.raised.cookies };
  return added.codes
    ? showRecoveryCodes(added.codes, words, location, headers)
    : redirect(303, location, headers);
}

function givenIn(fields: ReadonlyMap<string, string>, { browser }: Interaction, another: boolean) {
  const response = fields.get('credential');
  if (response) return { browser, state: fields.get('passkey_state') ?? '', response, name: '' };
  const code = fields.get('code')?.slice(0, 100) ?? '';
  return { sealed: fields.get('pending') ?? '', code, another };
}

async function postpone(interaction: Interaction, asked: AskedSession): Promise<Answer> {
  const later = await laterFor(asked);
  if (asked.why === 'offer') await noteOffered(asked.facts.personId);
  // the grace is over: authorize says so, and asks again
  const next = onward(interaction);
  return redirect(303, continueLocation(later ? { ...next, postponed: asked.session } : next));
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
      title: 'factor.recovery_codes',
      heading: 'factor.keep_codes',
      message: 'factor.keep_codes_lead',
      codes: { label: 'factor.recovery_codes', values: codes, nonce },
      link: { href, label: 'frame.continue' },
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, nonce, headers });
}
