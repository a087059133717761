import type { Words } from '#lib/language/words.ts';
import { mailStaysHere } from '#lib/mail/service-mail.ts';
import { settings } from '#lib/settings/settings.ts';
import { Sentence } from './sentence.tsx';

/** Where the mail is that a page has announced, of a service without a mail server. */
export function MailboxHint({ words }: { words: Words }) {
  if (!mailStaysHere()) return null;
  const address = (
    <a key="address" href={`${settings().baseUrl}/account/mail`} dir="ltr">
      <code>/account/mail</code>
    </a>
  );
  return (
    <p className="soft hint">
      <Sentence parts={words.parts('account.mail_here', { address })} />
    </p>
  );
}
