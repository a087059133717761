type SignInFieldsProps = {
  /** local methods ask for an e-mail address, others for a username */
  local: boolean;
  username: string;
  /** the last attempt failed; the element with the id `alert` says why */
  wrong: boolean;
  /** address of the form for a forgotten password; null: there is none */
  forgotten: string | null;
};

/** Username and password, on both sign-in pages. The cursor starts in the first field that is empty. */
export function SignInFields({ local, username, wrong, forgotten }: SignInFieldsProps) {
  const faulty = wrong ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  return (
    <>
      <label className="field">
        <span>{local ? 'E-mail' : 'Username'}</span>
        <input
          name="username"
          type={local ? 'email' : 'text'}
          autoComplete="username"
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
          <span>Password</span>
          <input
            name="password"
            type="password"
            autoComplete="current-password"
            // biome-ignore lint/a11y/noAutofocus: as above
            autoFocus={username !== ''}
            required
            {...faulty}
          />
        </label>
        {forgotten !== null && <a href={forgotten}>Forgot your password?</a>}
      </div>
    </>
  );
}
