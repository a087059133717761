// The page /new-password, for a password that has to be replaced before anything begins: what it shows, and its form.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import type { Told } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { noteSignIn } from '#lib/sign-in/note.ts';
import {
  type CodeAsked,
  openOwedPassword,
  readOwedPassword,
  replaceOwedPassword,
} from '#lib/sign-in/owed-password.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { ForgedForm } from '../errors/errors.ts';
import { type ApiView, apiView, type ClientView, clientView } from '../pages/consent-shown.ts';
import { continueLocation, readHostedForm } from '../pages/form.ts';
import { type Onward, passedBy } from './confirm-view.ts';
import { newPasswordAddress } from './sign-in.ts';
import { NOT_WORKING, openHostedPage, type PageInput, type Unusable } from './views.ts';

export type NewPasswordView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      /** how the person is named */
      label: string;
      /** the language of the person's profile */
      locale: string | null;
      alert: Told | null;
      /** what the alert is about */
      wrong: 'password' | 'code' | null;
      code: CodeAsked;
      minLength: number;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

export async function viewNewPassword(
  input: PageInput & { wrong?: string | undefined },
): Promise<NewPasswordView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, sealed, antiForgery } = page;
  const owed = owedIn(interaction);
  if (owed === null) return NOT_WORKING;
  const read = await readOwedPassword(owed);
  if (read === null)
    return passedBy({ because: 'done', location: continueLocation(afterPassword(interaction)) });
  const { alert = null } = interaction;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label: read.label,
    locale: read.locale,
    alert,
    wrong: alert === null ? null : input.wrong === 'code' ? 'code' : 'password',
    code: read.code,
    minLength: settings().passwordMinLength,
    interaction: sealed,
    antiForgery,
  };
}

/** Null: no sign-in led here with this interaction, or too long ago. */
function owedIn({ owedPassword, browser, authMethodId }: Interaction) {
  const owed = openOwedPassword(owedPassword, browser);
  return owed?.authMethodId === authMethodId ? owed : null;
}

/** The interaction without the password that was proved in it. */
function afterPassword({ owedPassword: _, alert: __, ...rest }: Interaction): Interaction {
  return rest;
}

export async function handleNewPassword(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const rest = afterPassword(interaction);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...rest, denied: true }));
  const owed = owedIn(interaction);
  if (owed === null) throw new ForgedForm('no password of this browser is to be replaced');
  const from = { requestId: request.requestId, ip: callerAddress(request, settings().trustProxy) };
  const browser = {
    ...{ cookieHeader: request.headers['cookie'], userAgent: request.headers['user-agent'] ?? null },
    ...from,
  };
  const given = { password: fields.get('password') ?? '', code: fields.get('code')?.slice(0, 100) ?? '' };
  const replaced = await replaceOwedPassword(owed, given, from, (started) =>
    startSession({ ...browser, ...started }),
  );
  switch (replaced.kind) {
    case 'slow-down':
      return redirect(
        303,
        newPasswordAddress({ ...interaction, alert: tooManyAttempts(replaced.waitSeconds) }),
      );
    case 'faulty': {
      const { field, told } = replaced;
      return redirect(303, `${newPasswordAddress({ ...interaction, alert: told })}&wrong=${field}`);
    }
    // authorize knows what is left to ask
    case 'gone':
      return redirect(303, continueLocation(rest));
    case 'replaced': {
      const { authMethodId, apiId } = interaction;
      await noteSignIn({ authMethodId, apiId, ...from }, 'signed-in');
      const { session, account, personId, personEpoch } = replaced;
      const device = rememberDevice(browser.cookieHeader, account, { personId, personEpoch });
      const signedIn = session.idHash.toString('base64url');
      return redirect(303, continueLocation({ ...rest, signedIn }), {
        'set-cookie': [session.cookie, device],
      });
    }
  }
}
