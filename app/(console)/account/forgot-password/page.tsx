import { MailboxHint } from '#app/_components/sign-in-parts.tsx';
import { RESET_LINK_MINUTES } from '#lib/management/people.ts';
import { interruptedSignIn, signInAddress, typedAddress } from '#lib/oauth/pages/sign-in.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form, Submit } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { publicPage } from '../../_kit/sign-in.tsx';

export const generateMetadata = messageTitle('account.choose_password');

export default publicPage(async ({ query, cookie, form, typed, words }) => {
  const { t } = words;
  const signIn = interruptedSignIn(query['interaction']);
  const atConsole = typed('sign-in').one('username');
  const isSent = query['done'] === 'reset-asked';
  return (
    <>
      <h1>{t(isSent ? 'account.reset_sent' : 'account.choose_password')}</h1>
      {isSent ? (
        <>
          <p className="lead">{t('account.reset_asked', { minutes: RESET_LINK_MINUTES })}</p>
          <MailboxHint words={words} />
        </>
      ) : (
        <>
          <p className="lead">{t('account.reset_lead')}</p>
          <Form {...(await form('forgot-password'))} className="stack">
            {signIn !== undefined && <input type="hidden" name="interaction" value={signIn} />}
            <TextField
              name="email"
              label={t('sign_in.email')}
              type="email"
              autoComplete="username"
              value={atConsole.includes('@') ? atConsole : typedAddress(query['interaction'], cookie)}
              autoFocus
            />
            <Submit>{t('account.send_link')}</Submit>
          </Form>
        </>
      )}
      <p>
        <a href={signIn === undefined ? '/account' : signInAddress(signIn)}>{t('account.back_to_sign_in')}</a>
      </p>
    </>
  );
});
