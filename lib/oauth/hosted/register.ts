// POST /register/submit: the steps to an account of one's own, and back to the request that the person came with. The
// sealed interaction carries the step, so the back button, a second tab and a form that was sent twice each find their
// own.

import { askToRegister, finishRegistration, proveAddress } from '#lib/accounts/registration.ts';
import { accountName } from '#lib/auth-methods/attempts.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import type { Told } from '#lib/language/message.ts';
import { tooMany, tooManyAttempts } from '#lib/language/too-many.ts';
import { asksApproval, isOpenToAll } from '#lib/registry/methods/questions.ts';
import { forgetInterrupted, keepInterrupted } from '#lib/sessions/interrupted.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Interaction, renewed, sealInteraction } from '../authorize-request/interaction.ts';
import { shownRequest } from '../authorize-request/interrupted-request.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { continueLocation, readHostedForm, readOwnForm } from '../pages/form.ts';
import { pageWords } from '../pages/page-words.ts';
import { acceptInvitation } from './invited.ts';
import { registerAddress } from './register-view.ts';

type Given = {
  http: HttpRequest;
  fields: ReadonlyMap<string, string>;
  interaction: Interaction;
  request: AuthorizeRequest;
  from: { ip: string | null; requestId: string; pageLanguage: Language };
};

export async function handleRegister(http: HttpRequest): Promise<Answer> {
  const own = await readOwnForm(http);
  if (own.has('invitation')) return acceptInvitation(http, own);
  const { fields, interaction } = await readHostedForm(http);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...plain(interaction), denied: true }));
  const request = await shownRequest(interaction);
  // the page says so
  if (!isOpenToAll(request.issuer.method)) return redirect(303, registerAddress(interaction));
  const from = {
    ip: callerAddress(http, settings().trustProxy),
    requestId: http.requestId,
    pageLanguage: pageWords(http.headers, fields.get('interaction')).language,
  };
  const given = { http, fields, interaction, request, from };
  const { registering } = interaction;
  if (registering === undefined) return ask(given, fields.get('email') ?? '');
  if (registering.proved) return finish(given, registering);
  return fields.has('again') ? ask(given, registering.email) : prove(given, registering);
}

type Registering = NonNullable<Interaction['registering']>;

/** Without what belongs to the page that was shown. */
function plain({ registering: _, alert: __, username: ___, ...rest }: Interaction): Interaction {
  return rest;
}

/** The same page, with what is wrong. */
const again = (interaction: Interaction, alert: Told): Answer =>
  redirect(303, registerAddress({ ...interaction, alert }));

/** To the next step: the browser keeps its interaction for another ten minutes, and for the link in the mail. */
function onward({ http, interaction }: Given, registering: Registering): Answer {
  const { cookie } = openTransaction(http.headers['cookie']);
  const next = { ...renewed(interaction), registering };
  const headers = { 'set-cookie': [cookie, keepInterrupted(sealInteraction(next))] };
  return redirect(303, registerAddress(next), headers);
}

async function ask(given: Given, email: string): Promise<Answer> {
  const { interaction, request, from } = given;
  const { registering } = interaction;
  const asked = await askToRegister({
    email,
    authMethodId: request.issuer.method.id,
    apiId: request.issuer.api.id,
    clientId: request.client.clientId,
    ...(registering && { older: registering.handle }),
    ...from,
  });
  const typed = registering ? interaction : { ...interaction, username: email.slice(0, 320) };
  if (asked.kind === 'invalid') return again(typed, 'register.not_an_address');
  if (asked.kind === 'slow-down') return again(typed, tooMany('register.too_many_mails', asked.waitSeconds));
  if (asked.kind === 'closed') return redirect(303, registerAddress(interaction));
  const { kind: _, ...kept } = asked;
  return onward(given, { ...kept, ...(registering && { again: true }) });
}

async function prove(given: Given, { handle, email }: Registering): Promise<Answer> {
  const { fields, interaction, request, from } = given;
  const link = fields.get('link');
  const proof = link === undefined ? { code: fields.get('code') ?? '' } : { link };
  const approval = asksApproval(request.issuer.method);
  const proved = await proveAddress({ handle, email, ...proof, approval, ...from });
  if (proved === 'proved') return onward(given, { handle, email, proved: true });
  if (proved === 'waits-already') return ended(given, email, proved);
  if (typeof proved !== 'string') return again(interaction, tooManyAttempts(proved.waitSeconds));
  return again(interaction, link === undefined ? 'register.wrong_code' : 'register.wrong_link');
}

/** The request waits in this browser for another ten minutes, for people who are approved at once. */
function ended({ interaction }: Given, email: string, how: string): Answer {
  const next = { ...renewed(interaction), username: email };
  const kept = { 'set-cookie': keepInterrupted(sealInteraction(next)) };
  return redirect(303, `${registerAddress(next)}&done=${how}`, kept);
}

async function finish(given: Given, { handle, email, ...more }: Registering): Promise<Answer> {
  const { http, fields, interaction, request, from } = given;
  const { method } = request.issuer;
  const name = (fields.get('name') ?? '').slice(0, 1000);
  const made = await finishRegistration({ handle, name, password: fields.get('password') ?? '', ...from });
  if (made.kind === 'faulty') {
    const typed = { ...interaction, registering: { ...more, handle, email, name } };
    return again(typed, made.told);
  }
  if (made.kind === 'slow-down') return again(interaction, tooManyAttempts(made.waitSeconds));
  if (made.kind !== 'made') return ended(given, email, made.kind);
  const session = await startSession({
    cookieHeader: http.headers['cookie'],
    authMethodId: method.id,
    personId: made.personId,
    personEpoch: made.personEpoch,
    methodEpoch: method.epoch,
    amr: ['pwd'],
    ip: from.ip,
    userAgent: http.headers['user-agent'] ?? null,
    requestId: from.requestId,
  });
  // disabled, or the method changed, in this very moment: there is an account, and the sign-in page says the rest
  if (!session) return redirect(303, `${registerAddress(plain(interaction))}&done=gone`);
  const device = rememberDevice(http.headers['cookie'], accountName(method, email), made);
  const next = { ...plain(interaction), signedIn: session.idHash.toString('base64url') };
  return redirect(303, continueLocation(next), {
    'set-cookie': [session.cookie, device, forgetInterrupted()],
  });
}
