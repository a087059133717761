import { AddressField, Alert, Go, MailboxHint, PostForm } from '#app/_components/sign-in-parts.tsx';
import { RESET_LINK_MINUTES } from '#lib/catalogue/people/operations.ts';
import { interruptedSignIn, signInAddress, typedAddress } from '#lib/oauth/pages/sign-in.ts';
import { messageTitle } from '../../_kit/page-language.ts';
import { postOf } from '../../_kit/page-start.tsx';
import { publicPage } from '../../_kit/sign-in.tsx';

export const generateMetadata = messageTitle('account.choose_password');

export default publicPage(async ({ query, cookie, form, typed, words }) => {
  const { t } = words;
  const signIn = interruptedSignIn(query['interaction']);
  const atConsole = typed('sign-in').one('username');
  const isSent = query['done'] === 'reset-asked';
  const known = atConsole.includes('@') ? atConsole : typedAddress(query['interaction'], cookie);
  const email = typed('forgot-password').one('email', known);
  const asked = await form('forgot-password');
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
          <Alert message={asked.faults['email'] ?? asked.message} />
          <PostForm post={postOf(asked, { ...(signIn !== undefined && { interaction: signIn }) })}>
            <AddressField email={email} wrong={asked.faults['email'] !== undefined} words={words} />
            <Go>{t('account.send_link')}</Go>
          </PostForm>
        </>
      )}
      <p>
        <a href={signIn === undefined ? '/account' : signInAddress(signIn)}>{t('account.back_to_sign_in')}</a>
      </p>
    </>
  );
});
