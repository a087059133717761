import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { RESET_LINK_MINUTES } from '#lib/management/index.ts';
import { interruptedSignIn, signInAddress } from '#lib/oauth/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { Submit } from '../../_ui/submit.tsx';
import { publicPage } from '../../_visit/public-page.tsx';

export const metadata: Metadata = { title: 'Choose a new password' };

export default function ForgotPasswordPage({ searchParams }: { searchParams: SearchParams }) {
  return publicPage(searchParams, async ({ query, form }) => {
    const signIn = interruptedSignIn(query['interaction']);
    return (
      <>
        <h1>Choose a new password</h1>
        {query['done'] === 'reset-asked' ? (
          <p className="lead">
            Open the link in the mail within {RESET_LINK_MINUTES} minutes. Nothing came? Look among the
            unwanted mail.
          </p>
        ) : (
          <>
            <p className="lead">We send a link to your address. It works once.</p>
            <Form {...(await form('forgot-password'))} className="stack">
              {signIn !== undefined && <input type="hidden" name="interaction" value={signIn} />}
              <TextField name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
              <Submit>Send the link</Submit>
            </Form>
          </>
        )}
        <p>
          <a href={signIn === undefined ? '/account' : signInAddress(signIn)}>Back to the sign-in</a>
        </p>
      </>
    );
  });
}
