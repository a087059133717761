// What the page /register shows: an address to type, the code that a mail brought there, the link of that mail, or a password to
// choose. Which of them, the sealed interaction says; nothing of it depends on whether the address has an account.
import { ownValue, shownEmail } from '#lib/kit/index.ts';
import { asksApproval, isOpenToAll } from '#lib/registry/index.ts';
import { readInterrupted } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Interaction, sealInteraction } from '../authorize-request/index.ts';
import { type ApiView, apiView, type ClientView, clientView } from '../pages/index.ts';
import { type InvitedView, viewInvited } from './invited.ts';
import { openHostedPage, type Unusable } from './views.ts';

type Ready = {
  kind: 'ready';
  client: ClientView;
  api: ApiView;
  /** what was typed, or is being proved */
  email: string;
  alert: string | null;
  /** somebody has to approve the account */
  approval: boolean;
  interaction: string;
  antiForgery: string;
};

export type RegisterView =
  | (Ready & { step: 'address'; signIn: string })
  | (Ready & { step: 'code'; notice: string | null; otherAddress: string })
  | (Ready & { step: 'link'; link: string })
  | (Ready & { step: 'password'; name: string; minLength: number })
  | InvitedView
  | { kind: 'elsewhere'; heading: string; message: string }
  | { kind: 'ended'; heading: string; message: string; href: string; label: string }
  | Unusable;

const CLOSED: Unusable = {
  kind: 'unusable',
  heading: 'No account can be made here',
  message: 'Whoever runs this service makes the accounts. Go back to the application, or ask there.',
};

/** The mail was opened in another browser, or the ten minutes are over. */
const BEGUN_ELSEWHERE = {
  kind: 'elsewhere',
  heading: 'Enter the code where you began',
  message:
    'This link works in the browser that asked for it, and for ten minutes. Type the code of the mail there, or go back to the application and begin again.',
} as const;

export const registerAddress = (interaction: Interaction): string =>
  `${settings().authUrl}/register?interaction=${sealInteraction(interaction)}`;

type RegisterInput = {
  interaction: string | undefined;
  /** of the mail's link */
  link: string | undefined;
  /** the token of an invitation */
  invitation: string | undefined;
  /** of its form, sent once already */
  again: string | undefined;
  /** how it ended: a key of `ENDED`, `ready` of an invitation, or `approved` of the mail about that */
  done: string | undefined;
  cookie: string | undefined;
};

export async function viewRegister(input: RegisterInput): Promise<RegisterView> {
  const { link, cookie } = input;
  if (input.invitation !== undefined || input.done === 'ready') return viewInvited(input);
  const byLink = link !== undefined;
  if (input.done === 'approved') return viewApproved(cookie);
  const opened = await openHostedPage({
    interaction: byLink ? readInterrupted(cookie) : input.interaction,
    cookie,
  });
  if ('kind' in opened) return byLink ? BEGUN_ELSEWHERE : opened;
  const { request, interaction, sealed, antiForgery } = opened;
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
  const notice = registering.again ? 'We sent another code. The one before no longer works.' : null;
  const otherAddress = `${settings().authUrl}/register?interaction=${fresh}`;
  return { ...ready, step: 'code', notice: alert === undefined ? notice : null, otherAddress };
}

const APPROVED = 'Your account is ready';

/** The link of the mail: to the request, where it is the same browser soon afterwards. */
async function viewApproved(cookie: string | undefined): Promise<RegisterView> {
  const interaction = readInterrupted(cookie);
  const opened = await openHostedPage({ interaction, cookie });
  if ('kind' in opened) {
    const message = 'Go back to the application, and sign in there with the password that you chose.';
    return { kind: 'elsewhere', heading: APPROVED, message };
  }
  const href = `${settings().authUrl}/login?interaction=${opened.sealed}`;
  const message = 'Sign in with the password that you chose.';
  return { kind: 'ended', heading: APPROVED, message, href, label: 'Sign in' };
}

const WAITING = 'Waiting for approval';

const ENDED: Record<string, { heading: string; message: string; label: string }> = {
  taken: {
    heading: 'You have an account already',
    message: 'Somebody made one for your address meanwhile. Sign in, or choose a new password.',
    label: 'Sign in',
  },
  waits: {
    heading: WAITING,
    message:
      'Somebody decides whether you get an account, and a mail tells you. Then sign in with the password that you chose.',
    label: 'Sign in',
  },
  'waits-already': {
    heading: WAITING,
    message:
      'You asked for an account before, and that request stands, with the password that you chose then. A mail tells you when somebody has decided.',
    label: 'Sign in',
  },
  full: {
    heading: 'Too many people wait',
    message:
      'Nobody else can ask for an account just now, and nothing of this was kept. Try again another day.',
    label: 'Sign in',
  },
  gone: {
    heading: 'This page has done its work',
    message:
      'The form was sent twice, or too late. Sign in with the password that you chose, or begin again.',
    label: 'Sign in',
  },
};
