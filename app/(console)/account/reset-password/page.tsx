import { Sentence } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import { readMailToken } from '#lib/management/mail-links.ts';
import { forgottenPasswordAddress, interruptedSignIn } from '#lib/oauth/pages/sign-in.ts';
import { readInterrupted } from '#lib/sessions/transaction.ts';
import { messageTitle } from '../../_kit/page-language.ts';
import { NewPassword, publicPage } from '../../_kit/sign-in.tsx';

export const generateMetadata = messageTitle('account.choose_password');

/** GET does not use up the link, because virus scanners open links in mails. Submitting the form uses it up. */
export default publicPage(async ({ query, cookie, form, words }) => {
  const { t } = words;
  const { token = '', after } = query;
  const mailToken = await readMailToken({ token, purpose: 'password-reset' });
  if (!mailToken) {
    const signIn = after === 'application' ? interruptedSignIn(readInterrupted(cookie)) : undefined;
    return <UsedLink again={forgottenPasswordAddress(signIn)} words={words} />;
  }
  return (
    <>
      <h1>{t('account.choose_password')}</h1>
      <p className="lead">
        <Sentence
          parts={words.parts('account.reset_for', { email: <bdi key="email">{mailToken.email}</bdi> })}
        />
      </p>
      <NewPassword
        form={await form('reset-password')}
        fields={{ token, ...(after !== undefined && { after }) }}
        label={mailToken.email}
        code={null}
        words={words}
      />
    </>
  );
});

function UsedLink({ again, words: { t } }: { again: string; words: Words }) {
  return (
    <>
      <h1>{t('account.link_used')}</h1>
      <p className="lead">{t('account.link_used_lead')}</p>
      <p className="actions">
        <a className="button" href={again}>
          {t('account.another_link')}
        </a>
      </p>
    </>
  );
}
