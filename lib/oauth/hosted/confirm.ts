// POST /confirm/submit: a code, a recovery code or a passkey of the person who signed in, and the session is raised by
// it (docs/decisions/0023). Every fault of a code is said in the same words.

import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import type { Told } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { tellOfFactor } from '#lib/mail/tell-factor.ts';
import { raiseSession } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { takeSecondStep } from '#lib/sign-in/second-step.ts';
import { type Interaction, sealInteraction } from '../authorize-request/interaction.ts';
import { onRegistryOf } from '../authorize-request/interrupted-request.ts';
import { ForgedForm } from '../errors/errors.ts';
import { continueLocation, readHostedForm } from '../pages/form.ts';
import { maySpare } from './confirm-view.ts';
import { type AskedSession, askedOf, proofsFor, provedLocation, signedOut } from './second-factor.ts';

const WRONG = {
  totp: 'factor.wrong_code',
  recovery_code: 'factor.wrong_recovery',
  // only where the page offered none
  passkey: 'factor.wrong_code',
} as const;

export async function handleConfirm(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const cookie = request.headers['cookie'];
  const asked = await askedOf(interaction, cookie);
  if (asked === null) throw new ForgedForm('the session was not asked to confirm anything');
  if (asked.kind === 'elsewhere') return redirect(303, asked.location);
  const context = { requestId: request.requestId, ip: callerAddress(request, settings().trustProxy) };
  const { personId, email, locale } = asked.facts;
  const reader = { email, locale };
  const answer = answerOf(fields, interaction);
  const taken = isOffered(asked, answer.kind)
    ? await takeSecondStep({ personId, reader, context }, answer, async (proof) => {
        const trust =
          fields.has('trust') && (await onRegistryOf(interaction, async (asking) => maySpare(asking)));
        const userAgent = request.headers['user-agent'] ?? null;
        const { authMethodId } = interaction;
        return raiseSession({
          cookieHeader: cookie,
          authMethodId,
          personId,
          proof,
          trust,
          ...context,
          userAgent,
        });
      })
    : ({ kind: 'wrong' } as const);
  if (taken.kind === 'ended') return redirect(303, (await signedOut(interaction)).location);
  if (taken.kind !== 'raised') {
    // the same form, sent twice: the first one used the code up
    const now = await askedOf(interaction, cookie);
    if (now?.kind === 'elsewhere') return redirect(303, now.location);
    const codes = { wrong: WRONG[answer.kind], 'used-up': 'factor.used_up' } as const;
    const alert =
      taken.kind === 'slow-down'
        ? tooManyAttempts(taken.waitSeconds)
        : 'code' in taken
          ? taken.code
          : codes[taken.kind];
    return again(interaction, alert, fields.has('recovery_code'));
  }
  const { raised } = taken;
  if (raised.cookies.length > 1) tellOfFactor(reader, 'browser-trusted');
  const location = provedLocation(interaction, raised.idHash.toString('base64url'));
  return redirect(303, location, { 'set-cookie': raised.cookies });
}

function answerOf(fields: ReadonlyMap<string, string>, { browser }: Interaction) {
  const response = fields.get('credential');
  if (response)
    return { kind: 'passkey', browser, state: fields.get('passkey_state') ?? '', response } as const;
  const kind = fields.has('recovery_code') ? 'recovery_code' : 'totp';
  return { kind, code: fields.get(kind === 'totp' ? 'code' : kind)?.slice(0, 100) ?? '' } as const;
}

/** Nothing is proved that the page did not offer. */
function isOffered(asked: AskedSession, kind: keyof typeof WRONG): boolean {
  const { passkey, totp, recovery } = proofsFor(asked);
  return { passkey, totp, recovery_code: recovery }[kind];
}

function again(interaction: Interaction, alert: Told, recovery: boolean): Answer {
  const sealed = sealInteraction({ ...interaction, alert });
  const page = recovery ? '&with=recovery' : '';
  return redirect(303, `${settings().authUrl}/confirm?interaction=${sealed}${page}`);
}
