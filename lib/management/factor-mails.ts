// The mails about somebody's factors: one place for their words. Each change is told to the person's address, so that who did not
// make it learns of it. Nobody is told who has no address here.
import { settings } from '#lib/settings/index.ts';
import { sendServiceMail } from './service-mail.ts';

type Words = { subject: string; text: (name: string) => string };

const WORDS = {
  'passkey-added': {
    subject: 'a passkey was added',
    text: (name) => `The passkey “${name}” was added to your account. It signs you in without your password.`,
  },
  'passkey-renamed': {
    subject: 'a passkey was renamed',
    text: (name) => `A passkey of your account is called “${name}” now.`,
  },
  'passkey-removed': {
    subject: 'a passkey was removed',
    text: (name) => `The passkey “${name}” was removed from your account. It no longer signs you in.`,
  },
  'app-added': {
    subject: 'an authenticator app was set up',
    text: () => 'An authenticator app was set up for your account. Signing in takes a code from it.',
  },
  'app-removed': {
    subject: 'your authenticator app was removed',
    text: () => 'The authenticator app of your account was removed. Its codes no longer count.',
  },
  'codes-made': {
    subject: 'new recovery codes were made',
    text: () => 'New recovery codes were made for your account. Those from before no longer count.',
  },
  reset: {
    subject: 'your second step was taken away',
    text: () =>
      'Whoever runs this service took the passkeys, the authenticator app and the recovery codes of your account away. You are signed out everywhere, and sign in with your password alone until you set up another.',
  },
} as const satisfies Record<string, Words>;
export type FactorNews = keyof typeof WORDS;

/** In the background. `to` null: there is no address. */
export function tellOfFactor(to: string | null, news: FactorNews, name = ''): void {
  if (to === null) return;
  const { subject, text } = WORDS[news];
  const lines = [
    text(name),
    '',
    'If it was you who did this, or asked for it, there is nothing to do.',
    'If it was not, change your password, and look at what signs you in:',
    `${settings().baseUrl}/account/security`,
  ];
  sendServiceMail({ to, subject, text: lines.join('\n') });
}
