import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { readMailToken } from '#lib/management/index.ts';
import { forgottenPasswordAddress, interruptedSignIn } from '#lib/oauth/index.ts';
import { readInterrupted } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { Form } from '../../_ui/form.tsx';
import { NewPasswordField } from '../../_ui/new-password-field.tsx';
import { Submit } from '../../_ui/submit.tsx';
import { publicPage } from '../../_visit/public-page.tsx';

export const metadata: Metadata = { title: 'Choose a new password' };

/** GET does not use up the link, because virus scanners open links in mails. The form does. */
export default function ResetPasswordPage({ searchParams }: { searchParams: SearchParams }) {
  return publicPage(searchParams, async ({ query, cookie, form }) => {
    const { token = '', after } = query;
    const found = await readMailToken({ token, purpose: 'password-reset' });
    if (!found) {
      const signIn = after === 'application' ? interruptedSignIn(readInterrupted(cookie)) : undefined;
      return <UsedLink again={forgottenPasswordAddress(signIn)} />;
    }
    return (
      <>
        <h1>Choose a new password</h1>
        <p className="lead">
          For <bdi>{found.email}</bdi>. Every sign-in ends, and you sign in with it.
        </p>
        <Form {...(await form('reset-password'))} className="stack">
          <input type="hidden" name="username" autoComplete="username" value={found.email} />
          <input type="hidden" name="token" value={token} />
          {after !== undefined && <input type="hidden" name="after" value={after} />}
          <NewPasswordField least={settings().passwordMinLength} autoFocus />
          <Submit>Save the password</Submit>
        </Form>
      </>
    );
  });
}

function UsedLink({ again }: { again: string }) {
  return (
    <>
      <h1>This link no longer works</h1>
      <p className="lead">It was used already, or is too old.</p>
      <p className="actions">
        <a className="button" href={again}>
          Ask for another one
        </a>
      </p>
    </>
  );
}
