import { headers } from 'next/headers';
import { isFromThisMachine } from '#lib/http/peer-context.ts';
import { listDevelopmentMail } from '#lib/mail/send.ts';
import { pageTitle } from '../../_kit/page-language.ts';
import { publicPage } from '../../_kit/sign-in.tsx';
import { Say, say } from '../../_texts/say.tsx';

export const generateMetadata = pageTitle('Unsent mail');

/** For development: shows the mails that a service without a mail server wrote to files. */
export default publicPage(async () => {
  const sent = Object.fromEntries(await headers());
  const mails = await listDevelopmentMail({ fromThisMachine: isFromThisMachine(sent) });
  if (mails === null) {
    return (
      <>
        <h1>{say('No mail to show')}</h1>
        <p className="lead">
          <Say
            text="Messages appear on this page only if the service runs on your own machine without a mail server ({setting}), and only in a browser on that machine."
            values={{ setting: <code>SMTP_URL</code> }}
          />
        </p>
      </>
    );
  }
  return (
    <>
      <h1>{say('Unsent mail')}</h1>
      <p className="lead">
        <Say
          text="There is no mail server ({setting}), and the service runs on your own machine: messages are kept on this page."
          values={{ setting: <code>SMTP_URL</code> }}
        />
      </p>
      {mails.length === 0 && (
        <p>{say('No messages yet. Request a new password, and the mail appears on this page.')}</p>
      )}
      {mails.map(({ file, to, subject, text }) => (
        <article key={file} className="mail">
          <h2>{subject}</h2>
          <p className="soft">{say('To {address}', { address: to })}</p>
          <p className="mail-text">
            <Linked text={text} />
          </p>
        </article>
      ))}
    </>
  );
});

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
