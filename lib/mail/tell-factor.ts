// Each change of a person's factors, and each use of a recovery code, is mailed to them, so that they learn of what
// they did not do. People without an address get none.
import type { FactorNews } from './factor-mails.ts';
import { type MailReader, sendServiceMail } from './service-mail.ts';

/** In the background. `email` null: there is no address. */
export function tellOfFactor(
  { email, ...reader }: Omit<MailReader, 'email'> & { email: string | null },
  news: FactorNews,
  name = '',
): void {
  if (email !== null) sendServiceMail({ email, ...reader }, `factor-${news}`, { name });
}
