import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { readMailToken } from '#lib/management/people/mail-links.ts';
import { Form } from '../../_ui/form.tsx';
import { visitWords } from '../../_ui/page-language.ts';
import { Submit } from '../../_ui/submit.tsx';
import { publicPage } from '../../_visit/public-page.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t('register.link_heading'),
});

/** GET does not use up the link; the form does. */
export default function VerifyEmailPage({ searchParams }: { searchParams: SearchParams }) {
  return publicPage(searchParams, async ({ query, form, words: { t } }) => {
    const { token = '' } = query;
    const found = await readMailToken({ token, purpose: 'verify-email' });
    if (!found) {
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
          <bdi>{found.email}</bdi>
        </p>
        <Form {...(await form('verify-email'))} className="stack" fields={{ token }}>
          <Submit>{t('account.verify')}</Submit>
        </Form>
      </>
    );
  });
}
