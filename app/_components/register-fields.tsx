import type { RegisterView } from '#lib/oauth/index.ts';

type Ready = Extract<RegisterView, { kind: 'ready' }>;

/** What a step to an account asks, and what else may be done there. */
export function RegisterFields({ view }: { view: Ready }) {
  if (view.step === 'address')
    return (
      <>
        <AddressField email={view.email} wrong={view.alert !== null} />
        <Go>Send the code</Go>
        <p className="ways">
          <a href={view.signIn}>Sign in</a>
          <Cancel />
        </p>
      </>
    );
  if (view.step === 'link')
    return (
      <>
        <input type="hidden" name="link" value={view.link} />
        <Go>Continue</Go>
        <Cancel />
      </>
    );
  if (view.step === 'password')
    return (
      <>
        <PasswordFields view={view} wrong={view.alert !== null} />
        <Go>Create the account</Go>
        <Cancel />
      </>
    );
  return (
    <>
      <CodeField wrong={view.alert !== null} />
      <Go>Continue</Go>
      <button type="submit" name="again" value="1" formNoValidate className="button plain">
        Send another code
      </button>
      <p className="ways">
        <a href={view.otherAddress}>Use another address</a>
        <Cancel />
      </p>
    </>
  );
}

const faulty = (wrong: boolean) => (wrong ? { 'aria-invalid': true } : {});

function AddressField({ email, wrong }: { email: string; wrong: boolean }) {
  return (
    <div>
      <label className="field">
        <span>E-mail</span>
        <input
          name="email"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={254}
          defaultValue={email}
          // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for, and its title says what is asked
          autoFocus
          required
          {...faulty(wrong)}
          aria-describedby={wrong ? 'alert email-hint' : 'email-hint'}
        />
      </label>
      <p className="soft hint" id="email-hint">
        A code goes there, which shows that it is yours.
      </p>
    </div>
  );
}

function CodeField({ wrong }: { wrong: boolean }) {
  return (
    <div>
      <label className="field">
        <span>Code</span>
        <input
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          // biome-ignore lint/a11y/noAutofocus: as above
          autoFocus
          required
          {...faulty(wrong)}
          aria-describedby={wrong ? 'alert code-hint' : 'code-hint'}
        />
      </label>
      <p className="soft hint" id="code-hint">
        Six digits; the link beside them does the same in this browser. Nothing came? Look among the unwanted
        mail.
      </p>
    </div>
  );
}

type AtPassword = { email: string; name: string; minLength: number };

/** Name and password, of whoever proved an address or was invited. */
export function PasswordFields({
  view: { email, name, minLength },
  wrong,
}: {
  view: AtPassword;
  wrong: boolean;
}) {
  return (
    <>
      {/* so that whoever keeps passwords keeps this one under the right name */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <label className="field">
        <span>Name</span>
        {/* biome-ignore lint/a11y/noAutofocus: as above */}
        <input name="name" autoComplete="name" maxLength={200} defaultValue={name} autoFocus={!wrong} />
      </label>
      <div>
        <label className="field">
          <span>Password</span>
          <input
            name="password"
            type="password"
            autoComplete="new-password"
            // biome-ignore lint/a11y/noAutofocus: as above
            autoFocus={wrong}
            required
            {...faulty(wrong)}
            aria-describedby={wrong ? 'alert password-hint' : 'password-hint'}
          />
        </label>
        <p className="soft hint" id="password-hint">
          At least {minLength} characters, of any kind. Several words in a row are good; your name and your
          address are not.
        </p>
      </div>
    </>
  );
}

export function Go({ children }: { children: string }) {
  return (
    <button type="submit" className="button">
      {children}
    </button>
  );
}

function Cancel() {
  return (
    <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
      Cancel
    </button>
  );
}
