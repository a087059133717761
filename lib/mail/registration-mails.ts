// The mails of people who make an account. An address that has one gets a mail as well, with the ways in.
import type { Words } from '#lib/language/index.ts';
import { settings } from '#lib/settings/index.ts';
import { database, selectReadersOf } from '#lib/store/index.ts';
import type { mailBrand } from './mail-brand.ts';
import { background, type MailReader, sendServiceMail, sendToEach } from './service-mail.ts';

/** As long as an interrupted request waits in its browser, and as the mail says. */
export const REGISTRATION_MINUTES = 10;

export function sendRegistrationCode(
  to: MailReader,
  digits: string,
  link: string,
  brand?: ReturnType<typeof mailBrand>,
): void {
  const code = `${digits.slice(0, 3)} ${digits.slice(3)}`;
  const compose = ({ t }: Words) => ({
    subject: t('mail.confirm_subject'),
    parts: [
      { text: t('mail.code', { code, minutes: REGISTRATION_MINUTES }), code },
      { text: t('mail.code_link'), href: link, button: t('mail.button_confirm') },
      t('mail.code_not_you'),
    ],
  });
  sendServiceMail(to, compose, brand);
}

export function sendAccountExists(to: MailReader, brand?: ReturnType<typeof mailBrand>): void {
  const account = `${settings().baseUrl}/account`;
  const compose = ({ t }: Words) => ({
    subject: t('mail.has_account_subject'),
    parts: [
      t('mail.has_account'),
      { text: t('mail.has_account_you'), href: account, button: t('mail.button_account') },
      { text: t('mail.has_account_password'), href: `${account}/forgot-password` },
      t('mail.has_account_not_you'),
    ],
  });
  sendServiceMail(to, compose, brand);
}

/** To approvers and administrators, without who waits: what a stranger calls themselves is seen in the inbox. */
export function tellDeciders(): void {
  background(async () => {
    const db = await database();
    const deciders = await Promise.all(
      (['approver', 'administrator'] as const).map((role) => selectReadersOf(db, role)),
    );
    const href = `${settings().baseUrl}/admin/approvals`;
    // one person may be both
    for (const to of new Map(deciders.flat().map((one) => [one.email, one])).values())
      sendServiceMail(to, ({ t }) => ({
        subject: t('mail.person_waits_subject'),
        parts: [
          { text: t('mail.person_waits'), href, button: t('mail.button_look') },
          t('mail.person_waits_hourly'),
        ],
      }));
  });
}

type Decided = { to: MailReader; brand: ReturnType<typeof mailBrand> };

export function tellAdmitted({ to, brand }: Decided): void {
  const href = `${settings().authUrl}/register?done=approved`;
  const compose = ({ t }: Words) => ({
    subject: t('mail.admitted_subject'),
    parts: [{ text: t('mail.admitted'), href, button: t('mail.button_sign_in') }],
  });
  sendServiceMail(to, compose, brand);
}

export function tellRejected({ to, brand }: Decided, reason: string | null): void {
  const { host } = new URL(settings().baseUrl);
  const compose = ({ t }: Words) => ({
    subject: t('mail.rejected_subject'),
    parts: [
      t('mail.rejected', { host }),
      ...(reason === null ? [] : [{ text: t('mail.decided_why'), quote: reason }]),
    ],
  });
  sendServiceMail(to, compose, brand);
}

/** To everybody who waited at a method that is no more. */
export function tellWaitingEnded(waited: readonly Decided[]): void {
  const { host } = new URL(settings().baseUrl);
  const compose = ({ t }: Words) => ({
    subject: t('mail.waiting_ended_subject'),
    parts: [t('mail.waiting_ended', { host })],
  });
  background(() => sendToEach(waited, ({ to, brand }) => sendServiceMail(to, compose, brand)));
}
