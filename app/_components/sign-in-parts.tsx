// Sign-in parts for hosted pages and console: fields, passkeys, second factor, new password, and registration fields.
import type { ReactNode } from 'react';
import type { Plain } from '#lib/language/message.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import { mailStaysHere } from '#lib/mail/send.ts';
import type { RegisterView } from '#lib/oauth/pages/register.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SignInNames } from '#lib/sign-in/steps.ts';
import { Sentence } from './pieces.tsx';

type SignInFieldsProps = {
  /** kind of user name at this method */
  names: SignInNames;
  words?: Words;
  username: string;
  /** the last attempt failed; the element with the id `alert` says why */
  wrong: boolean;
  /** the browser may offer passkeys beside the names that it remembers */
  passkeys?: boolean;
  /** address of the forgotten-password form; null: none */
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

export type PasskeyFormProps = {
  /** for a button in another place */
  id?: string;
  /** `get`: use a passkey; `create`: add one */
  kind: 'get' | 'create';
  /** target receiving the response as `credential`, and the seal as `passkey_state` */
  action: string;
  /** browser options (JSON), and their seal */
  asked: { options: string; state: string };
  /** `form` beside the console's own forms */
  className?: 'stack' | 'form';
  /** passkeys are offered beside the names that the browser remembers; the page needs a field for a name */
  conditional?: boolean;
  /** for what the script says */
  words?: Words;
  children?: ReactNode;
};

/**
 * Hidden until the page script (PASSKEY_SCRIPT) detects passkey support. The script prompts when the form's
 * PasskeyButton is pressed, posts the response, and explains browser rejections or timeouts.
 */
export function PasskeyForm({
  id,
  kind,
  action,
  asked,
  className = 'stack',
  conditional = false,
  words: { t } = wordsOf('en'),
  children,
}: PasskeyFormProps) {
  return (
    <form
      method="post"
      action={action}
      className={className}
      hidden
      {...(id !== undefined && { id })}
      data-passkey={kind}
      data-options={asked.options}
      data-asking={t('passkey.asking')}
      data-nothing-used={t('passkey.nothing_used')}
      data-exists-there={t('passkey.exists_there')}
      {...(conditional && { 'data-conditional': '' })}
    >
      <input type="hidden" name="passkey_state" value={asked.state} />
      <input type="hidden" name="credential" />
      {children}
      <p className="note" role="status" data-passkey-says="asking" hidden />
      <p className="alert" role="alert" data-passkey-says="refused" hidden />
    </form>
  );
}

type PasskeyButtonProps = {
  /** form id for a button outside its form */
  form?: string;
  tone?: 'button' | 'button plain';
  children?: ReactNode;
};

export function PasskeyButton({
  form,
  tone = 'button plain',
  children = 'Use a passkey',
}: PasskeyButtonProps) {
  return (
    <button type="button" className={tone} hidden data-passkey-ask {...(form !== undefined && { form })}>
      {children}
    </button>
  );
}

// Second-factor parts of hosted pages and console: the field of a code, a passkey's button, and an app's secret.

/** `app`: the code of an authenticator app. `recovery`: a recovery code. `either`: the form accepts both. */
type CodeKind = 'app' | 'recovery' | 'either';

/** A single field for app codes and recovery codes. */
export const FIELD_OF_CODE = {
  app: { kind: 'app', hint: 'step.takes' },
  'app or recovery code': { kind: 'either', hint: 'step.takes_either' },
  'recovery code': { kind: 'recovery', hint: 'step.recovery_takes' },
} as const;

type CodeFieldProps = {
  kind: CodeKind;
  name?: string;
  label: string;
  hint?: string;
  /** the page alert with id `alert` concerns this field */
  wrong: boolean;
  focus?: boolean;
};

export function CodeField({ kind, name = 'code', label, hint, wrong, focus = false }: CodeFieldProps) {
  const described = [wrong && 'alert', hint !== undefined && 'code-hint'].filter((id) => id !== false);
  return (
    <div>
      <label className="field">
        <span>{label}</span>
        <input
          name={name}
          dir="ltr"
          autoComplete={kind === 'recovery' ? 'off' : 'one-time-code'}
          {...(kind === 'app'
            ? { inputMode: 'numeric' }
            : { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false })}
          // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for, and its title says what is asked
          autoFocus={focus}
          required
          {...(described.length > 0 && { 'aria-describedby': described.join(' ') })}
          {...(wrong && { 'aria-invalid': true })}
        />
      </label>
      {hint !== undefined && (
        <p className="soft hint" id="code-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

type PasskeyProofProps = Pick<PasskeyFormProps, 'action' | 'asked'> & {
  words: Words;
  /** only available proof */
  only: boolean;
  children: ReactNode;
};

/** Proves an existing passkey. `children`: further form fields. */
export function PasskeyProof({ only, children, ...form }: PasskeyProofProps) {
  const { t } = form.words;
  return (
    <>
      <PasskeyForm kind="get" {...form}>
        {children}
        <PasskeyButton tone={only ? 'button' : 'button plain'}>{t('factor.use_passkey')}</PasskeyButton>
      </PasskeyForm>
      <noscript>
        <p className="note">{t('factor.your_passkey_needs_script')}</p>
      </noscript>
    </>
  );
}

type NeitherProps = { service: string; words: Words; children?: ReactNode };

/** Help for users who lost every factor. `children`: another contact. */
export function Neither({ service, words: { t, parts }, children }: NeitherProps) {
  return (
    <details className="more">
      <summary>{t('factor.neither')}</summary>
      <p>
        <Sentence parts={parts('factor.neither_ask', { service: <bdi>{service}</bdi> })} />
      </p>
      {children}
    </details>
  );
}

type TotpSecretProps = { svg: string; spelled: string; lead: string; words: Words };

/** App setup secret: QR code, and text for typing. */
export function TotpSecret({ svg, spelled, lead, words: { t } }: TotpSecretProps) {
  return (
    <div className="app-secret">
      <p className="soft">{lead}</p>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: drawn here (lib/factors), of nothing that anybody typed */}
      <div className="qr" role="img" title={t('passkey.picture')} dangerouslySetInnerHTML={{ __html: svg }} />
      <p className="copy">
        <code dir="ltr">{spelled}</code>
      </p>
    </div>
  );
}

/** Script texts beside the new password field. `more`: by missing characters, from zero to all. */
export type NewPasswordWords = {
  show: string;
  hide: string;
  more: string[];
  weak: string;
  fair: string;
  good: string;
  strong: string;
};

export const newPasswordWords = ({ t }: Words, least: number): NewPasswordWords => ({
  show: t('new_password.show'),
  hide: t('new_password.hide'),
  more: Array.from({ length: least + 1 }, (_, count) => t('new_password.more', { count })),
  weak: t('new_password.weak'),
  fair: t('new_password.fair'),
  good: t('new_password.good'),
  strong: t('new_password.strong'),
});

type ChosenPasswordProps = {
  label: string;
  minLength: number;
  /** the page alert with id `alert` concerns this field */
  wrong: boolean;
  focus: boolean;
  words: Words;
};

/** New password field on hosted pages, where a script rates strength (app/_html). */
export function ChosenPassword({ label, minLength, wrong, focus, words }: ChosenPasswordProps) {
  const { t } = words;
  return (
    <div data-new-password={JSON.stringify(newPasswordWords(words, minLength))}>
      <label className="field">
        <span>{label}</span>
        <input
          name="password"
          dir="ltr"
          type="password"
          autoComplete="new-password"
          // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for, and its title says what is asked
          autoFocus={focus}
          required
          {...(wrong && { 'aria-invalid': true })}
          aria-describedby={wrong ? 'alert password-hint' : 'password-hint'}
        />
      </label>
      <p className="soft hint" id="password-hint">
        {t('new_password.hint', { least: minLength })}
      </p>
      <p className="soft hint">
        <button type="button" className="copy-button" hidden>
          {t('new_password.show')}
        </button>{' '}
        <output />
      </p>
    </div>
  );
}

/** Location of an announced mail, for a service without mail server. */
export function MailboxHint({ words }: { words: Words }) {
  if (!mailStaysHere()) return null;
  const address = (
    <a key="address" href={`${settings().baseUrl}/account/mail`} dir="ltr">
      <code>/account/mail</code>
    </a>
  );
  return (
    <p className="soft hint">
      <Sentence parts={words.parts('account.mail_here', { address })} />
    </p>
  );
}

type Ready = Extract<RegisterView, { kind: 'ready' }>;

/** Registration step fields, and further actions. */
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
      <RegistrationCode wrong={view.alert !== null} words={words} />
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

function RegistrationCode({ wrong, words: { t } }: { wrong: boolean; words: Words }) {
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

/** Name and password of a user with verified address or invitation. */
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
