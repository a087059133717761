import { type Words, wordsOf } from '#lib/language/index.ts';

type SignInFieldsProps = {
  /** accounts of ours are named by an e-mail address, others by a username */
  email: boolean;
  words?: Words;
  username: string;
  /** the last attempt failed; the element with the id `alert` says why */
  wrong: boolean;
  /** the browser may offer passkeys beside the names that it remembers */
  passkeys?: boolean;
  /** address of the form for a forgotten password; null: there is none */
  forgotten: string | null;
};

/** Username and password, on both sign-in pages. The cursor starts in the first field that is empty. */
export function SignInFields({
  words: { t } = wordsOf('en'),
  email,
  username,
  wrong,
  forgotten,
  passkeys = false,
}: SignInFieldsProps) {
  const faulty = wrong ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  return (
    <>
      <label className="field">
        <span>{email ? t('sign_in.email') : t('sign_in.username')}</span>
        <input
          name="username"
          dir="ltr"
          // type=email takes no letters beyond ASCII before the @
          type="text"
          inputMode={email ? 'email' : undefined}
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
