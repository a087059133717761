import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { readMailToken } from '#lib/management/index.ts';
import { Form } from '../../_ui/form.tsx';
import { Submit } from '../../_ui/submit.tsx';
import { publicPage } from '../../_visit/public-page.tsx';

export const metadata: Metadata = { title: 'Confirm your address' };

/** GET does not use up the link; the form does. */
export default function VerifyEmailPage({ searchParams }: { searchParams: SearchParams }) {
  return publicPage(searchParams, async ({ query, form }) => {
    const { token = '' } = query;
    const found = await readMailToken({ token, purpose: 'verify-email' });
    if (!found) {
      return (
        <>
          <h1>This link no longer works</h1>
          <p className="lead">
            It was used already, or is too old. Your account has a button for another one.
          </p>
          <p className="actions">
            <a className="button" href="/account">
              Go to your account
            </a>
          </p>
        </>
      );
    }
    return (
      <>
        <h1>Is this your address?</h1>
        <p className="lead">
          <bdi>{found.email}</bdi>
        </p>
        <Form {...(await form('verify-email'))} className="stack" fields={{ token }}>
          <Submit>Yes, it is mine</Submit>
        </Form>
      </>
    );
  });
}
