// Sends the mails of people who make an account. An address that has one gets a mail as well, with the ways in.
import { database } from '#lib/store/database/prisma.ts';
import { selectReadersOf } from '#lib/store/people/roles.ts';
import type { mailBrand } from './mail-brand.ts';
import { background, type MailReader, sendServiceMail, sendToEach } from './service-mail.ts';

type Brand = ReturnType<typeof mailBrand>;

export function sendRegistrationCode(to: MailReader, digits: string, link: string, brand?: Brand): void {
  sendServiceMail(to, 'registration-code', { digits, link }, brand);
}

export function sendAccountExists(to: MailReader, brand?: Brand): void {
  sendServiceMail(to, 'has-account', {}, brand);
}

/** To approvers and administrators, without who waits: what a stranger calls themselves is seen in the inbox. */
export function tellDeciders(): void {
  background(async () => {
    const db = await database();
    const deciders = await Promise.all(
      (['approver', 'administrator'] as const).map((role) => selectReadersOf(db, role)),
    );
    // one person may be both
    for (const to of new Map(deciders.flat().map((one) => [one.email, one])).values())
      sendServiceMail(to, 'person-waits', {});
  });
}

type Decided = { to: MailReader; brand: Brand };

export function tellAdmitted({ to, brand }: Decided): void {
  sendServiceMail(to, 'admitted', {}, brand);
}

export function tellRejected({ to, brand }: Decided, reason: string | null): void {
  sendServiceMail(to, 'rejected', { reason }, brand);
}

/** To everybody who waited at a method that is no more. */
export function tellWaitingEnded(waited: readonly Decided[]): void {
  background(() => sendToEach(waited, ({ to, brand }) => sendServiceMail(to, 'waiting-ended', {}, brand)));
}
