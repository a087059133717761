import type { Words } from '#lib/language/words.ts';
import type { RegisterView } from '#lib/oauth/hosted/register-view.ts';
import { ChosenPassword } from './chosen-password.tsx';
import { MailboxHint } from './mailbox-hint.tsx';

type Ready = Extract<RegisterView, { kind: 'ready' }>;

/** What a step to an account asks, and what else may be done there. */
export function RegisterFields({ view, words }: { view: Ready; words: Words }) {
  const { t } = words;
  const cancel = (
    <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
      {t('frame.cancel')}
    </button>
  );
  if (view.step === 'address')
    return (
      <>
        <AddressField email={view.email} wrong={view.alert !== null} words={words} />
        <Go>{t('register.send')}</Go>
        <p className="ways">
          <a href={view.signIn}>{t('sign_in.heading')}</a>
          {cancel}
        </p>
      </>
    );
  if (view.step === 'link')
    return (
      <>
        <input type="hidden" name="link" value={view.link} />
        <Go>{t('frame.continue')}</Go>
        {cancel}
      </>
    );
  if (view.step === 'password')
    return (
      <>
        <PasswordFields view={view} wrong={view.alert !== null} words={words} />
        <Go>{t(view.approval ? 'register.ask' : 'register.create')}</Go>
        {cancel}
      </>
    );
  return (
    <>
      <CodeField wrong={view.alert !== null} words={words} />
      <MailboxHint words={words} />
      <Go>{t('frame.continue')}</Go>
      <button type="submit" name="again" value="1" formNoValidate className="button plain">
        {t('register.another_code')}
      </button>
      <p className="ways">
        <a href={view.otherAddress}>{t('register.another_address')}</a>
        {cancel}
      </p>
    </>
  );
}

const faulty = (wrong: boolean) => (wrong ? { 'aria-invalid': true } : {});

type AddressFieldProps = { email: string; wrong: boolean; words: Words };

function AddressField({ email, wrong, words: { t } }: AddressFieldProps) {
  return (
    <div>
      <label className="field">
        <span>{t('sign_in.email')}</span>
        <input
          name="email"
          dir="ltr"
          // type=email takes no letters beyond ASCII before the @
          type="text"
          inputMode="email"
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
        {t('register.email_hint')}
      </p>
    </div>
  );
}

function CodeField({ wrong, words: { t } }: { wrong: boolean; words: Words }) {
  return (
    <div>
      <label className="field">
        <span>{t('frame.code')}</span>
        <input
          name="code"
          dir="ltr"
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
        {t('register.code_hint')}
      </p>
    </div>
  );
}

type AtPassword = { email: string; name: string; minLength: number };
type PasswordFieldsProps = { view: AtPassword; wrong: boolean; words: Words };

/** Name and password, of a person who proved an address or was invited. */
export function PasswordFields({ view: { email, name, minLength }, wrong, words }: PasswordFieldsProps) {
  const { t } = words;
  return (
    <>
      {/* so that password managers keep it under the right name */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <label className="field">
        <span>{t('register.name')}</span>
        <input
          name="name"
          dir="auto"
          autoComplete="name"
          maxLength={200}
          defaultValue={name}
          // biome-ignore lint/a11y/noAutofocus: as above
          autoFocus={!wrong}
        />
      </label>
      <ChosenPassword label={t('sign_in.password')} focus={wrong} {...{ minLength, wrong, words }} />
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
