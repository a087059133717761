// Registration page: its contents, its form, and the form of an invitation.
import {
  askToRegister,
  finishRegistration,
  proveAddress,
  readInvitation,
} from '#lib/accounts/registration.ts';
import { accountName } from '#lib/auth-methods/attempts.ts';
import { asksApproval, isOpenToAll } from '#lib/catalogue/methods/questions.ts';
import { callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, redirect } from '#lib/http/message.ts';
import { sha256 } from '#lib/kit/random.ts';
import { shownEmail } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type Message, type Plain, type Told, tooMany, tooManyAttempts } from '#lib/language/message.ts';
import { findInBrowser, storeInBrowser } from '#lib/sessions/page-state.ts';
import {
  forgetInterrupted,
  keepInterrupted,
  openTransaction,
  readInterrupted,
} from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { startRememberedSession } from '#lib/sign-in/steps.ts';
import { type Interaction, renewInteraction, sealInteraction } from '../authorize/interaction.ts';
import { type AuthorizeRequest, shownRequest } from '../authorize/request.ts';
import {
  type ApiView,
  apiView,
  type ClientView,
  carrierOf,
  clientView,
  continueLocation,
  openHostedPage,
  pageWords,
  readHostedForm,
  readOwnForm,
  type Unusable,
} from './frame.ts';

// Invitation page and form. Only the link identifies the account; form fields cannot. The invitation is not bound to a
// browser, because users open mails anywhere. The link is as long as any token.

type InvitedView = {
  kind: 'invited';
  email: string;
  name: string;
  alert: Message | null;
  minLength: number;
  invitation: string;
};

const GONE: Unusable = {
  kind: 'unusable',
  heading: 'register.invitation_gone_heading',
  message: 'register.invitation_gone',
};

const READY = {
  kind: 'ended',
  heading: 'register.ready_heading',
  message: 'register.ready',
  label: 'sign_in.heading',
} as const;

/**
 * Values of a form that is shown again. A cookie of the browser stores them, so that a stranger's link cannot
 * inject text into the page.
 */
type Again = { alert: Message; name: string };
/** Maximum length of a stored name; a longer name must be typed again. */
const KEPT_NAME = 100;
const formOf = (invitation: string) => ({
  kind: 'invitation form' as const,
  about: sha256(invitation).toString('base64url'),
});

type Shown = InvitedView | (typeof READY & { href: string }) | Unusable;

export async function viewInvited(input: {
  invitation: string | undefined;
  again: string | undefined;
  done: string | undefined;
  cookie: string | undefined;
}): Promise<Shown> {
  if (input.done === 'ready') return { ...READY, href: `${settings().baseUrl}/account` };
  const invitation = (input.invitation ?? '').slice(0, 100);
  const storedInvitation = await readInvitation(invitation);
  if (!storedInvitation) return GONE;
  const again = findInBrowser<Again>(input.again, formOf(invitation), input.cookie);
  return {
    kind: 'invited',
    email: storedInvitation.email,
    name: again?.name ?? storedInvitation.name,
    alert: again?.alert ?? null,
    minLength: settings().passwordMinLength,
    invitation,
  };
}

export async function acceptInvitation(
  http: HttpRequest,
  fields: ReadonlyMap<string, string>,
): Promise<Answer> {
  const page = `${settings().authUrl}/register`;
  const invitation = (fields.get('invitation') ?? '').slice(0, 100);
  const name = (fields.get('name') ?? '').slice(0, 1000);
  const newAccount = await finishRegistration({
    handle: invitation,
    invited: true,
    name,
    password: fields.get('password') ?? '',
    ip: callerAddress(http, settings().trustProxy),
    requestId: http.requestId,
  });
  if (newAccount.kind === 'made') return redirect(303, `${page}?done=ready`);
  const query = new URLSearchParams({ invitation });
  if (newAccount.kind !== 'faulty' && newAccount.kind !== 'slow-down')
    return redirect(303, `${page}?${query}`);
  const again: Again = {
    alert: newAccount.kind === 'faulty' ? newAccount.told : tooManyAttempts(newAccount.waitSeconds),
    name: name.slice(0, KEPT_NAME),
  };
  const stored = storeInBrowser(formOf(invitation), again, http.headers['cookie']);
  if (stored === null) return redirect(303, `${page}?${query}`);
  query.set('again', stored.id);
  return redirect(303, `${page}?${query}`, { 'set-cookie': stored.cookie });
}

// Contents of /register: address field, mailed code, mailed link, or password field. The sealed interaction determines
// the step, whether or not an account exists.

type Ready = {
  kind: 'ready';
  client: ClientView;
  api: ApiView;
  /** typed address, or the address that is being verified */
  email: string;
  alert: Told | null;
  /** true: the account needs an approval */
  approval: boolean;
  interaction: string;
  antiForgery: string;
};

export type RegisterView =
  | (Ready & { step: 'address'; signIn: string })
  | (Ready & { step: 'code'; notice: Plain | null; otherAddress: string })
  | (Ready & { step: 'link'; link: string })
  | (Ready & { step: 'password'; name: string; minLength: number })
  | InvitedView
  | { kind: 'elsewhere'; heading: Plain; message: Plain }
  | { kind: 'ended'; heading: Plain; message: Plain; href: string; label: Plain }
  | Unusable;

const CLOSED: Unusable = {
  kind: 'unusable',
  heading: 'register.closed_heading',
  message: 'register.closed',
};

/** Message if the mailed link is opened in a different browser, or after ten minutes. */
const BEGUN_ELSEWHERE = {
  kind: 'elsewhere',
  heading: 'register.elsewhere_heading',
  message: 'register.elsewhere',
} as const;

const registerAddress = (interaction: Interaction): string =>
  `${settings().authUrl}/register?interaction=${sealInteraction(interaction)}`;

type RegisterInput = {
  interaction: string | undefined;
  /** token of the mailed link */
  link: string | undefined;
  /** the token of an invitation */
  invitation: string | undefined;
  /** state of an invitation form that was already sent once */
  again: string | undefined;
  /** result: a key of `ENDED`, `ready` for invitations, or `approved` for the approval mail */
  done: string | undefined;
  cookie: string | undefined;
};

export async function viewRegister(input: RegisterInput): Promise<RegisterView> {
  const { link, cookie } = input;
  if (input.invitation !== undefined || input.done === 'ready') return viewInvited(input);
  const byLink = link !== undefined;
  if (input.done === 'approved') return viewApproved(cookie);
  const hostedPage = await openHostedPage({
    interaction: byLink ? readInterrupted(cookie) : input.interaction,
    cookie,
  });
  if ('kind' in hostedPage) return byLink ? BEGUN_ELSEWHERE : hostedPage;
  const { request, interaction, sealed, antiForgery } = hostedPage;
  const { method, api } = request.issuer;
  if (!isOpenToAll(method)) return CLOSED;
  const { registering, alert, ...rest } = interaction;
  const fresh = sealInteraction(rest);
  const ended = input.done !== undefined && ownValue(ENDED, input.done);
  if (ended) return { kind: 'ended', ...ended, href: `${settings().authUrl}/login?interaction=${fresh}` };
  const ready = {
    kind: 'ready',
    client: clientView(request),
    api: apiView(api),
    email: (registering && shownEmail(registering.email)) ?? interaction.username ?? request.loginHint ?? '',
    alert: alert ?? null,
    approval: asksApproval(method),
    interaction: sealed,
    antiForgery,
  } as const;
  if (byLink) return registering?.handle === undefined ? BEGUN_ELSEWHERE : { ...ready, step: 'link', link };
  if (registering === undefined)
    return { ...ready, step: 'address', signIn: `${settings().authUrl}/login?interaction=${fresh}` };
  if (registering.proved)
    return {
      ...ready,
      step: 'password',
      name: registering.name ?? '',
      minLength: settings().passwordMinLength,
    };
  const notice = registering.again ? 'register.sent_again' : null;
  const otherAddress = `${settings().authUrl}/register?interaction=${fresh}`;
  return { ...ready, step: 'code', notice: alert === undefined ? notice : null, otherAddress };
}

const APPROVED = 'register.ready_heading';

/**
 * Returns the page to which the approval mail links. It continues the request in the original browser if the request
 * is recent.
 */
async function viewApproved(cookie: string | undefined): Promise<RegisterView> {
  const interaction = readInterrupted(cookie);
  const hostedPage = await openHostedPage({ interaction, cookie });
  if ('kind' in hostedPage) {
    return { kind: 'elsewhere', heading: APPROVED, message: 'register.approved_elsewhere' };
  }
  const href = `${settings().authUrl}/login?interaction=${hostedPage.sealed}`;
  return { kind: 'ended', heading: APPROVED, message: 'register.approved', href, label: 'sign_in.heading' };
}

const ENDED: Record<string, { heading: Plain; message: Plain; label: Plain }> = {
  taken: {
    heading: 'register.taken_heading',
    message: 'register.taken',
    label: 'sign_in.heading',
  },
  waits: {
    heading: 'agent.waiting',
    message: 'register.waits',
    label: 'sign_in.heading',
  },
  'waits-already': {
    heading: 'agent.waiting',
    message: 'register.waits_already',
    label: 'sign_in.heading',
  },
  full: {
    heading: 'register.full_heading',
    message: 'register.full',
    label: 'sign_in.heading',
  },
  gone: {
    heading: 'register.gone_heading',
    message: 'register.gone',
    label: 'sign_in.heading',
  },
};

// POST /register/submit: performs the steps to a new account, then continues the user's original request. The sealed
// interaction contains the step, so the back button, a second tab and a repeated form each continue at their step.

type Given = {
  http: HttpRequest;
  fields: ReadonlyMap<string, string>;
  interaction: Interaction;
  request: AuthorizeRequest;
  from: { ip: string | null; requestId: string; pageLanguage: Language };
};

export async function handleRegister(http: HttpRequest): Promise<Answer> {
  const ownForm = await readOwnForm(http);
  if (ownForm.has('invitation')) return acceptInvitation(http, ownForm);
  const { fields, interaction } = await readHostedForm(http);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...plain(interaction), denied: true }));
  const request = await shownRequest(interaction);
  // the page then explains that registration is closed
  if (!isOpenToAll(request.issuer.method)) return redirect(303, registerAddress(interaction));
  const from = {
    ip: callerAddress(http, settings().trustProxy),
    requestId: http.requestId,
    pageLanguage: pageWords(http.headers, fields.get('interaction')).language,
  };
  const submission = { http, fields, interaction, request, from };
  const { registering } = interaction;
  if (registering === undefined) return ask(submission, fields.get('email') ?? '');
  if (registering.proved) return finish(submission, registering);
  return fields.has('again') ? ask(submission, registering.email) : prove(submission, registering);
}

type Registering = NonNullable<Interaction['registering']>;

/** Removes from the interaction the members that belong only to the shown page. */
function plain({
  registering: _,
  alert: __,
  alertAt: ____,
  username: ___,
  ...rest
}: Interaction): Interaction {
  return rest;
}

/** Shows the page again, with an alert. */
const again = (interaction: Interaction, alert: Told): Answer =>
  redirect(303, registerAddress({ ...interaction, alert }));

/**
 * Continues with the next step. The browser stores its interaction for ten more minutes, so that the mailed link finds
 * it.
 */
function onward({ http, interaction }: Given, registering: Registering): Answer {
  const { cookie } = openTransaction(http.headers['cookie']);
  const next = { ...renewInteraction(interaction), registering };
  const headers = { 'set-cookie': [cookie, keepInterrupted(sealInteraction(next))] };
  return redirect(303, registerAddress(next), headers);
}

async function ask(submission: Given, email: string): Promise<Answer> {
  const { interaction, request, from } = submission;
  const { registering } = interaction;
  const outcome = await askToRegister({
    email,
    authMethodId: request.issuer.method.id,
    apiId: request.issuer.api.id,
    clientId: request.client.clientId,
    ...(registering && { older: registering.handle }),
    ...from,
  });
  const typed = registering ? interaction : { ...interaction, username: email.slice(0, 320) };
  if (outcome.kind === 'invalid') return again(typed, 'register.not_an_address');
  if (outcome.kind === 'slow-down')
    return again(typed, tooMany('register.too_many_mails', outcome.waitSeconds));
  if (outcome.kind === 'closed') return redirect(303, registerAddress(interaction));
  const { kind: _, ...kept } = outcome;
  return onward(submission, { ...kept, ...(registering && { again: true }) });
}

async function prove(submission: Given, { handle, email }: Registering): Promise<Answer> {
  const { fields, interaction, request, from } = submission;
  const link = fields.get('link');
  const proof = link === undefined ? { code: fields.get('code') ?? '' } : { link };
  const approval = asksApproval(request.issuer.method);
  const proved = await proveAddress({ handle, email, ...proof, approval, ...from });
  if (proved === 'proved') return onward(submission, { handle, email, proved: true });
  if (proved === 'waits-already') return endRegistration(submission, email, proved);
  if (typeof proved !== 'string') return again(interaction, tooManyAttempts(proved.waitSeconds));
  return again(interaction, link === undefined ? 'register.wrong_code' : 'register.wrong_link');
}

/** Stores the request in this browser for ten more minutes, in case an approver decides quickly. */
function endRegistration({ interaction }: Given, email: string, how: string): Answer {
  const next = { ...renewInteraction(interaction), username: email };
  const cookieHeaders = { 'set-cookie': keepInterrupted(sealInteraction(next)) };
  return redirect(303, `${registerAddress(next)}&done=${how}`, cookieHeaders);
}

async function finish(submission: Given, { handle, email, ...more }: Registering): Promise<Answer> {
  const { http, fields, interaction, request, from } = submission;
  const { method } = request.issuer;
  const name = (fields.get('name') ?? '').slice(0, 1000);
  const newAccount = await finishRegistration({
    handle,
    name,
    password: fields.get('password') ?? '',
    ...from,
  });
  if (newAccount.kind === 'faulty') {
    const typed = { ...interaction, registering: { ...more, handle, email, name } };
    return again(typed, newAccount.told);
  }
  if (newAccount.kind === 'slow-down') return again(interaction, tooManyAttempts(newAccount.waitSeconds));
  if (newAccount.kind !== 'made') return endRegistration(submission, email, newAccount.kind);
  const session = await startRememberedSession(carrierOf(http, interaction), {
    ...{ personId: newAccount.personId, personEpoch: newAccount.personEpoch, methodEpoch: method.epoch },
    ...{ amr: ['pwd'], accounts: [accountName(method, email)] },
  });
  // the user was disabled or the method changed meanwhile; the account exists, and the sign-in page explains this
  if (!session) return redirect(303, `${registerAddress(plain(interaction))}&done=gone`);
  const next = { ...plain(interaction), signedIn: session.idHash.toString('base64url') };
  return redirect(303, continueLocation(next), {
    'set-cookie': [...session.cookies, forgetInterrupted()],
  });
}
