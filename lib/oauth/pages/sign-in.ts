// Sign-in page: contents, password, passkey, and links for a new password.

import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import { isOpenToAll, methodCan } from '#lib/catalogue/methods/questions.ts';
import { passkeyChallenge, takesPasskeys } from '#lib/factors/passkeys.ts';
import { type Answer, type HttpRequest, redirect } from '#lib/http/message.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  type CarriedSession,
  type SignInNames,
  signInByPasskey,
  signInByPassword,
  signInNames,
  typedName,
} from '#lib/sign-in/steps.ts';
import { isLetIn } from '#lib/store/hot/person-facts.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import {
  type Interaction,
  isInteraction,
  openInteraction,
  requestOf,
  sealInteraction,
} from '../authorize/interaction.ts';
import { onCurrentRegistry } from '../authorize/request.ts';
import { SlowDown, UnknownIssuer } from '../errors.ts';
import { logError } from '../refusals.ts';
import {
  type ApiView,
  apiView,
  type ClientView,
  carrierOf,
  clientView,
  continueLocation,
  isFieldWrong,
  NOT_WORKING,
  openHostedPage,
  type PageInput,
  passkeyAnswer,
  readHostedForm,
  signInAgain,
  type Unusable,
} from './frame.ts';

// POST /login/submit: checks the password and starts the session. Every failed attempt causes the same message.

/** Alert of the sign-in page. The page then shows a link to change the password. */
const MUST_CHANGE = 'sign_in.must_change';

export async function handleSignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const username = typedName(fields.get('username') ?? '');
  const password = fields.get('password') ?? '';
  const carrier = carrierOf(request, interaction);
  const use = { read: recentSnapshot, clientId: async () => null };
  const outcome = await onCurrentRegistry(use, async ({ methods, version }) => {
    const method = methods.get(interaction.authMethodId);
    if (!method) throw new UnknownIssuer('no such method');
    const reliedOn = { version, clientId: null };
    const result = await signInByPassword(carrier, { method, username, password, reliedOn });
    if (result === null) throw new UnknownIssuer('this method checks no passwords');
    return result;
  });
  if (outcome.kind === 'owes-password') {
    const { alert: _, alertAt: __, username: ___, ...rest } = interaction;
    return redirect(303, newPasswordAddress({ ...rest, owedPassword: outcome.owed }));
  }
  if (outcome.kind === 'slow-down') logError(new SlowDown(outcome.waitSeconds), request);
  return outcome.kind === 'signed-in'
    ? toRequest(interaction, outcome)
    : signInAgain(interaction, outcome.told, username);
}

/** Continues the authorize request with the session that this interaction started. */
function toRequest(
  { alert: _, alertAt: __, username: ___, ...rest }: Interaction,
  { idHash, cookies }: CarriedSession,
): Answer {
  const next = { ...rest, signedIn: idHash.toString('base64url') };
  return redirect(303, continueLocation(next), { 'set-cookie': cookies });
}

/** Address of the /new-password page. */
export const newPasswordAddress = (interaction: Interaction): string =>
  `${settings().authUrl}/new-password?interaction=${sealInteraction(interaction)}`;

// POST /login/passkey: a passkey identifies and authenticates the user without a password.

/** Returns the passkey options for the browser; null: passkey sign-in is off. */
async function askForPasskey(
  method: SnapshotMethod,
  browser: string,
): Promise<{ options: string; state: string } | null> {
  return takesPasskeys(method) ? passkeyChallenge({ browser, personId: null }) : null;
}

export async function handlePasskeySignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const use = { read: recentSnapshot, clientId: async () => null };
  return onCurrentRegistry(use, async ({ methods }) => {
    const method = methods.get(interaction.authMethodId);
    if (!method || !takesPasskeys(method)) throw new UnknownIssuer('this method takes no passkeys');
    const answer = { method, personId: null, ...passkeyAnswer(fields) };
    const outcome = await signInByPasskey(carrierOf(request, interaction), answer);
    if (outcome.kind === 'signed-in') return toRequest(interaction, outcome);
    if (outcome.kind !== 'not-started') return signInAgain(interaction, outcome.told);
    const letIn = await isLetIn(outcome.personId, method.id);
    return signInAgain(interaction, { code: letIn ? 'sign_in.passkey_failed' : 'sign_in.not_let_in' });
  });
}

// Links between an application's sign-in page and the password reset. Both addresses belong to Gatehouse and contain
// the sealed interaction. After the interaction expires, the sign-in page explains the next step.

/** Value of the `done` parameter that the sign-in page receives after a password reset. */
export const PASSWORD_RESET = 'password-reset';

/** Returns the address for requesting a password reset, with the interrupted sign-in if there is one. */
export function forgottenPasswordAddress(interaction?: string): string {
  return `${settings().baseUrl}/account/forgot-password${queryOf({ interaction })}`;
}

/** Sign-in page address, used before and after a password reset. */
export function signInAddress(interaction: string | undefined, done?: typeof PASSWORD_RESET): string {
  return `${settings().authUrl}/login${queryOf({ interaction, done })}`;
}

/**
 * Returns `sealed` if Gatehouse sealed it. Whether it belongs to this browser is checked later, by the
 * sign-in page.
 */
export function interruptedSignIn(sealed: string | undefined): string | undefined {
  return sealed !== undefined && isInteraction(sealed) ? sealed : undefined;
}

/** Returns the user name that was typed in the interrupted sign-in. Only the browser of that sign-in can read it. */
export function typedAddress(sealed: string | undefined, cookie: string | undefined): string {
  const interaction = openInteraction(sealed, readBrowser(cookie));
  return interaction === null || interaction === 'expired' ? '' : (interaction.username ?? '');
}

/** Returns API id and client id of an interrupted sign-in, for the mail. */
export const cameWith = (sealed: string | undefined) => (sealed && requestOf(sealed)) || undefined;

function queryOf(values: Record<string, string | undefined>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

// Contents of the hosted pages: plain data, derived from the sealed interaction and the registry.

type SignInInput = PageInput & { done?: string | undefined };

export type SignInView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      method: { id: string; name: DisplayText; type: AuthMethodType };
      /** kind of user names at this method */
      names: SignInNames;
      username: string;
      notice: Plain | null;
      alert: Told | null;
      /** true: the alert concerns the fields */
      wrong: boolean;
      /** address at which a user changes a rejected password; null: no such case, or not configured */
      changeAt: string | null;
      /** address to request a password reset; null: unsupported */
      forgotten: string | null;
      /** address of the registration page; null: registration is off */
      register: string | null;
      /** passkey options for browsers that support them; null: passkey sign-in is off */
      passkey: { options: string; state: string } | null;
      interaction: string;
      antiForgery: string;
    }
  | { kind: 'elsewhere'; heading: Plain; message: Plain }
  | Unusable;

/** Message after a reset if the mailed link was opened in another browser, or the interaction expired. */
const RESET_ELSEWHERE = {
  kind: 'elsewhere',
  heading: 'sign_in.changed',
  message: 'sign_in.changed_elsewhere',
} as const;

export async function viewSignIn(input: SignInInput): Promise<SignInView> {
  const reset = input.done === PASSWORD_RESET;
  const hostedPage = await openHostedPage(input);
  if ('kind' in hostedPage) return reset ? RESET_ELSEWHERE : hostedPage;
  const { request, interaction, browser, sealed, antiForgery } = hostedPage;
  const { id, name, type, config } = request.issuer.method;
  const changeAt = config['password_change_url'];
  // users sign in on the broker's page, not on a Gatehouse page
  if (authMethodOf(request.issuer.method).startSignIn) return NOT_WORKING;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    method: { id, name, type },
    names: signInNames({ type }, request.issuer.snapshot),
    username: interaction.username ?? request.loginHint ?? '',
    notice: reset ? 'sign_in.changed_here' : null,
    alert: reset ? null : (interaction.alert ?? null),
    wrong: !reset && isFieldWrong(interaction),
    changeAt: interaction.alert === MUST_CHANGE && typeof changeAt === 'string' ? changeAt : null,
    forgotten: methodCan({ type }, 'hasAccounts') ? forgottenPasswordAddress(sealed) : null,
    register: isOpenToAll(request.issuer.method)
      ? `${settings().authUrl}/register?interaction=${sealed}`
      : null,
    passkey: await askForPasskey(request.issuer.method, browser),
    interaction: sealed,
    antiForgery,
  };
}
