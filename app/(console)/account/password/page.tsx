import type { Metadata } from 'next';
import { newPasswordWords } from '#app/_components/new-password-words.ts';
import type { SearchParams } from '#app/_components/page-input.ts';
import { wordsOf } from '#lib/language/index.ts';
import { readMyProfile } from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { NewPasswordField } from '../../_ui/new-password-field.tsx';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Change your password' };

export default function PasswordPage({ searchParams }: { searchParams: SearchParams }) {
  const words = wordsOf('en');
  const least = settings().passwordMinLength;
  const page = { area: 'account', here: '/account', path: '/account/password', searchParams } as const;
  return visit(page, async ({ actor, form }) => {
    const { email, hasPassword } = await readMyProfile(actor);
    return (
      <>
        <Title back={{ href: '/account', label: 'Your account' }}>Change your password</Title>
        <Panel
          id="password"
          heading="A new password"
          lead="Every other sign-in ends, and applications have to ask you to sign in again. This one goes on."
        >
          {hasPassword ? (
            <Form
              {...(await form('password'))}
              submit="Change the password"
              leave={{ href: '/account', label: 'Cancel' }}
            >
              <input type="hidden" name="username" autoComplete="username" value={email ?? ''} />
              <TextField
                name="oldPassword"
                label="Your password now"
                type="password"
                autoComplete="current-password"
              />
              <NewPasswordField
                label={words.t('account.new_password')}
                hint={words.t('account.new_password_hint', { least })}
                words={newPasswordWords(words, least)}
              />
            </Form>
          ) : (
            <p>You have no password here: you sign in elsewhere, and change it there.</p>
          )}
        </Panel>
      </>
    );
  });
}
