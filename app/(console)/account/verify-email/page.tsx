import { readMailToken } from '#lib/management/mail-links.ts';
import { Form, Submit } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { publicPage } from '../../_kit/sign-in.tsx';

export const generateMetadata = messageTitle('register.link_heading');

/** Only submitting the form uses up the link; GET does not. */
export default publicPage(async ({ query, form, words: { t } }) => {
  const { token = '' } = query;
  const mailToken = await readMailToken({ token, purpose: 'verify-email' });
  if (!mailToken) {
    return (
      <>
        <h1>{t('account.link_used')}</h1>
        <p className="lead">{t('account.verify_used_lead')}</p>
        <p className="actions">
          <a className="button" href="/account">
            {t('account.to_account')}
          </a>
        </p>
      </>
    );
  }
  return (
    <>
      <h1>{t('account.verify_heading')}</h1>
      <p className="lead">
        <bdi>{mailToken.email}</bdi>
      </p>
      <Form {...(await form('verify-email'))} className="stack" fields={{ token }}>
        <Submit>{t('account.verify')}</Submit>
      </Form>
    </>
  );
});
