// POST /confirm/submit: a code, a recovery code or a passkey of the person who signed in, and the session is raised by it
// (docs/decisions/0056). Whatever is wrong with a code is said in the same words.

import {
  codeFault,
  type FactorProof,
  provePasskey,
  proveRecoveryCode,
  proveTotp,
} from '#lib/factors/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import { tellOfFactor } from '#lib/mail/index.ts';
import { raiseSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Interaction, onRegistryOf, sealInteraction } from '../authorize-request/index.ts';
import { ForgedForm } from '../errors/index.ts';
import { continueLocation, readHostedForm } from '../pages/index.ts';
import { maySpare } from './confirm-view.ts';
import {
  type AskedSession,
  askedOf,
  proofsFor,
  provedLocation,
  SLOW_DOWN,
  signedOut,
  USED_UP,
} from './second-factor.ts';

const WRONG = { totp: 'That code is not right.', recovery_code: 'That recovery code is not right.' };

export async function handleConfirm(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const cookie = request.headers['cookie'];
  const asked = await askedOf(interaction, cookie);
  if (asked === null) throw new ForgedForm('the session was not asked to confirm anything');
  if (asked.kind === 'elsewhere') return redirect(303, asked.location);
  const context = { requestId: request.requestId, ip: callerAddress(request, settings().trustProxy) };
  const proof = await prove({ fields, interaction, asked, context });
  if (typeof proof === 'string') {
    // the same form, sent twice: the first one used the code up
    const now = await askedOf(interaction, cookie);
    if (now?.kind === 'elsewhere') return redirect(303, now.location);
    return again(interaction, proof, fields.has('recovery_code'));
  }
  const trust = fields.has('trust') && (await onRegistryOf(interaction, async (asking) => maySpare(asking)));
  const raised = await raiseSession({
    cookieHeader: cookie,
    authMethodId: interaction.authMethodId,
    personId: asked.facts.personId,
    proof,
    trust,
    ...context,
    userAgent: request.headers['user-agent'] ?? null,
  });
  if (!raised) return redirect(303, (await signedOut(interaction)).location);
  const { email, locale } = asked.facts;
  if (proof.kind === 'recovery_code') tellOfFactor({ email, locale }, 'code-used');
  if (raised.cookies.length > 1) tellOfFactor({ email, locale }, 'browser-trusted');
  const location = provedLocation(interaction, raised.idHash.toString('base64url'));
  return redirect(303, location, { 'set-cookie': raised.cookies });
}

type Given = {
  fields: ReadonlyMap<string, string>;
  interaction: Interaction;
  asked: AskedSession;
  context: { requestId: string; ip: string | null };
};

/** Or what the page says. Nothing is proved that the page did not offer. */
async function prove({ fields, interaction, asked, context }: Given): Promise<FactorProof | string> {
  const { personId } = asked.facts;
  const offered = proofsFor(asked);
  const credential = fields.get('credential');
  if (credential) {
    if (!offered.passkey) return WRONG.totp;
    const state = fields.get('passkey_state') ?? '';
    const answer = { browser: interaction.browser, state, response: credential, personId, context };
    const proved = await provePasskey(answer);
    if (proved.kind === 'proved') return proved.proof;
    return proved.kind === 'slow-down' ? SLOW_DOWN : wordsOf('en').t(proved.code);
  }
  const kind = fields.has('recovery_code') ? 'recovery_code' : 'totp';
  const code = fields.get(kind === 'totp' ? 'code' : kind)?.slice(0, 100) ?? '';
  if (!(kind === 'totp' ? offered.totp : offered.recovery)) return WRONG[kind];
  const fault = kind === 'totp' ? codeFaultText(code) : code.trim() === '' ? WRONG[kind] : null;
  if (fault !== null) return fault;
  const { email, locale } = asked.facts;
  const tell = (news: 'codes-guessed' | 'codes-ended') => tellOfFactor({ email, locale }, news);
  const proved = await (kind === 'totp' ? proveTotp : proveRecoveryCode)({ personId, code, context, tell });
  if (typeof proved !== 'string') return proved;
  return { wrong: WRONG[kind], 'slow-down': SLOW_DOWN, 'used-up': USED_UP }[proved];
}

function codeFaultText(code: string): string | null {
  const fault = codeFault(code);
  return fault && wordsOf('en').t(fault);
}

function again(interaction: Interaction, alert: string, recovery: boolean): Answer {
  const sealed = sealInteraction({ ...interaction, alert });
  const page = recovery ? '&with=recovery' : '';
  return redirect(303, `${settings().authUrl}/confirm?interaction=${sealed}${page}`);
}
