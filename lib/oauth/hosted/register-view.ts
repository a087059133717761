// What the page /register shows: an address to type, the code that a mail brought there, the link of that mail, or a
// password to choose. Which of them, the sealed interaction says; nothing of it depends on whether the address has an
// account.
import { ownValue } from '#lib/kit/own-value.ts';
import { shownEmail } from '#lib/kit/text/email-address.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import { asksApproval, isOpenToAll } from '#lib/registry/methods/questions.ts';
import { readInterrupted } from '#lib/sessions/interrupted.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Interaction, sealInteraction } from '../authorize-request/interaction.ts';
import { type ApiView, apiView, type ClientView, clientView } from '../pages/consent-shown.ts';
import { type InvitedView, viewInvited } from './invited.ts';
import { openHostedPage, type Unusable } from './views.ts';

type Ready = {
  kind: 'ready';
  client: ClientView;
  api: ApiView;
  /** what was typed, or is being proved */
  email: string;
  alert: Told | null;
  /** the account needs an approval */
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

/** The mail was opened in another browser, or the ten minutes are over. */
const BEGUN_ELSEWHERE = {
  kind: 'elsewhere',
  heading: 'register.elsewhere_heading',
  message: 'register.elsewhere',
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
  const notice = registering.again ? 'register.sent_again' : null;
  const otherAddress = `${settings().authUrl}/register?interaction=${fresh}`;
  return { ...ready, step: 'code', notice: alert === undefined ? notice : null, otherAddress };
}

const APPROVED = 'register.ready_heading';

/** The link of the mail: to the request, where it is the same browser soon afterwards. */
async function viewApproved(cookie: string | undefined): Promise<RegisterView> {
  const interaction = readInterrupted(cookie);
  const opened = await openHostedPage({ interaction, cookie });
  if ('kind' in opened) {
    return { kind: 'elsewhere', heading: APPROVED, message: 'register.approved_elsewhere' };
  }
  const href = `${settings().authUrl}/login?interaction=${opened.sealed}`;
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
