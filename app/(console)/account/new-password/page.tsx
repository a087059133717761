import { Name, Sentence } from '#app/_components/pieces.tsx';
import { Neither } from '#app/_components/sign-in-parts.tsx';
import { viewOwedPassword } from '#lib/management/console-sign-in.ts';
import { messageTitle } from '../../_kit/page-language.ts';
import { NewPassword, publicPage } from '../../_kit/sign-in.tsx';

export const generateMetadata = messageTitle('account.choose_password');

/** Shown after a correct password, if the user must replace the password. */
export default publicPage(async ({ query, cookie, form, words }) => {
  const { t } = words;
  const { owed = '', to = '/account' } = query;
  const view = await viewOwedPassword(owed, cookie);
  if (view === null || view.code === 'none-left')
    return (
      <>
        <h1>{t('account.choose_password')}</h1>
        <p className="lead">{t(view === null ? 'own_account.signed_out' : 'new_password.by_passkey')}</p>
        <p className="actions">
          <a className="button" href="/account">
            {t('sign_in.heading')}
          </a>
        </p>
      </>
    );
  const { label, code } = view;
  return (
    <>
      <h1>{t('account.choose_password')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('new_password.owed', { person: <Name key="person">{label}</Name> })} />
      </p>
      <NewPassword form={await form('new-password')} fields={{ owed, to }} {...{ label, code, words }} />
      {code !== null && <Neither words={words} />}
    </>
  );
});
