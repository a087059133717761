import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { SearchParams } from '#app/_components/page-input.ts';
import { isFromThisMachine } from '#lib/http/index.ts';
import { listDevelopmentMail } from '#lib/mail/index.ts';
import { publicPage } from '../../_visit/public-page.tsx';

export const metadata: Metadata = { title: 'Mail that was not sent' };

/** For development: the mails that a service without a mail server has written to files. */
export default function MailPage({ searchParams }: { searchParams: SearchParams }) {
  return publicPage(searchParams, async () => {
    const sent = Object.fromEntries(await headers());
    const mails = await listDevelopmentMail({ fromThisMachine: isFromThisMachine(sent) });
    if (mails === null) {
      return (
        <>
          <h1>No mail is shown here</h1>
          <p className="lead">
            Messages appear here only for a service on your own machine without a mail server (
            <code>SMTP_URL</code>), and only for a browser on that machine.
          </p>
        </>
      );
    }
    return (
      <>
        <h1>Mail that was not sent</h1>
        <p className="lead">
          There is no mail server (<code>SMTP_URL</code>), and this is your own machine: messages stay here.
        </p>
        {mails.length === 0 && <p>None yet. Ask for a new password, and the mail appears here.</p>}
        {mails.map(({ file, to, subject, text }) => (
          <article key={file} className="mail">
            <h2>{subject}</h2>
            <p className="soft">To {to}</p>
            <p className="mail-text">
              <Linked text={text} />
            </p>
          </article>
        ))}
      </>
    );
  });
}

function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s]+)/).map((part, at) => {
    const key = `${at}:${part}`;
    return at % 2 === 1 ? (
      <a key={key} href={part}>
        {part}
      </a>
    ) : (
      <span key={key}>{part}</span>
    );
  });
}
