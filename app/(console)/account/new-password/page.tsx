import { Name, Sentence } from '#app/_components/pieces.tsx';
import { FIELD_OF_CODE, Neither } from '#app/_components/sign-in-parts.tsx';
import { viewOwedPassword } from '#lib/management/console-sign-in.ts';
import { ChosenPasswordField } from '../../_kit/chosen-password-field.tsx';
import { TextField } from '../../_kit/fields.tsx';
import { Form, Submit } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { publicPage } from '../../_kit/sign-in.tsx';

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
      <Form {...(await form('new-password'))} className="stack">
        <input type="hidden" name="username" autoComplete="username" value={label} />
        <input type="hidden" name="owed" value={owed} />
        <input type="hidden" name="to" value={to} />
        <ChosenPasswordField words={words} autoFocus />
        {code !== null && (
          <TextField
            name="code"
            label={t('frame.code')}
            hint={t(FIELD_OF_CODE[code].hint)}
            autoComplete="one-time-code"
          />
        )}
        <Submit>{t('account.save_password')}</Submit>
      </Form>
      {code !== null && <Neither words={words} />}
    </>
  );
});
