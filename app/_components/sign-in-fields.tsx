import type { Plain } from '#lib/language/message.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { SignInNames } from '#lib/sign-in/password.ts';

type SignInFieldsProps = {
  /** by what people of the method are named */
  names: SignInNames;
  words?: Words;
  username: string;
  /** the last attempt failed; the element with the id `alert` says why */
  wrong: boolean;
  /** the browser may offer passkeys beside the names that it remembers */
  passkeys?: boolean;
  /** address of the form for a forgotten password; null: there is none */
  forgotten: string | null;
};

const LABELS: Record<SignInNames, Plain> = {
  email: 'sign_in.email',
  'email-or-username': 'sign_in.email_or_username',
  username: 'sign_in.username',
};

/** Username and password, on both sign-in pages. The cursor starts in the first field that is empty. */
export function SignInFields({
  words: { t } = wordsOf('en'),
  names,
  username,
  wrong,
  forgotten,
  passkeys = false,
}: SignInFieldsProps) {
  const faulty = wrong ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  return (
    <>
      <label className="field">
        <span>{t(LABELS[names])}</span>
        <input
          name="username"
          dir="ltr"
          // type=email takes no letters beyond ASCII before the @
          type="text"
          inputMode={names === 'email' ? 'email' : undefined}
          autoComplete={passkeys ? 'username webauthn' : 'username'}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          defaultValue={username}
          // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for, and its title says who asks
          autoFocus={username === ''}
          required
          {...faulty}
        />
      </label>
      <div className="field-with-link">
        <label className="field">
          <span>{t('sign_in.password')}</span>
          <input
            name="password"
            dir="ltr"
            type="password"
            autoComplete="current-password"
            // biome-ignore lint/a11y/noAutofocus: as above
            autoFocus={username !== ''}
            required
            {...faulty}
          />
        </label>
        {forgotten !== null && <a href={forgotten}>{t('sign_in.forgotten')}</a>}
      </div>
    </>
  );
}
