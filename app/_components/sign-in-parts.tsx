// Parts of sign-in pages, for hosted pages and the console: fields, passkeys, second factor, new password, and
// registration fields.
import type { ReactNode } from 'react';
import type { Plain } from '#lib/language/message.ts';
import type { Words } from '#lib/language/words.ts';
import { mailStaysHere } from '#lib/mail/send.ts';
import type { RegisterView } from '#lib/oauth/pages/register.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SignInNames } from '#lib/sign-in/steps.ts';
import { Sentence } from './pieces.tsx';

/** The fault of a form. Null: none. */
export function Alert({ message }: { message: string | null }) {
  return message === null ? null : (
    <p className="alert" role="alert" id="alert">
      {message}
    </p>
  );
}

/** Where a form posts, with the hidden fields that keep the state of the sign-in: the interaction, or the form token. */
type Post = { action: string; fields: Readonly<Record<string, string>> };

function Hidden({ fields }: Pick<Post, 'fields'>) {
  return Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

type PostFormProps = { post: Post; className?: 'stack' | 'ways'; children: ReactNode };

export function PostForm({ post, className = 'stack', children }: PostFormProps) {
  return (
    <form method="post" action={post.action} className={className}>
      <Hidden fields={post.fields} />
      {children}
    </form>
  );
}

/** Options for the browser (JSON), and the sealed state that belongs to them. */
type AskedPasskey = { options: string; state: string };

type PasswordFormProps = Omit<SignInFieldsProps, 'passkeys'> & {
  post: Post;
  passkey: AskedPasskey | null;
  /** further buttons */
  children?: ReactNode;
};

/** Form for user name and password. With `passkey`, the page also contains PasskeySignIn. */
export function PasswordForm({ post, passkey, children, ...fields }: PasswordFormProps) {
  const { t } = fields.words;
  return (
    <PostForm post={post}>
      <SignInFields {...fields} passkeys={passkey !== null} />
      <Go>{t('sign_in.heading')}</Go>
      {passkey && <PasskeyButton form="passkey">{t('factor.use_passkey')}</PasskeyButton>}
      {children}
    </PostForm>
  );
}

type PasskeySignInProps = { post: Post; passkey: AskedPasskey | null; words: Words };

export const PasskeySignIn = ({ post, passkey, words }: PasskeySignInProps) =>
  passkey && <PasskeyForm id="passkey" kind="get" post={post} asked={passkey} words={words} conditional />;

type SignInFieldsProps = {
  /** which user names this method accepts: email addresses, other names, or both */
  names: SignInNames;
  words: Words;
  username: string;
  /** the last attempt failed; the element with the id `alert` contains the reason */
  wrong: boolean;
  /** the browser can suggest passkeys together with the user names that it remembers */
  passkeys: boolean;
  /** the address of the form for a forgotten password; null: none */
  forgotten: string | null;
};

const LABELS: Record<SignInNames, Plain> = {
  email: 'sign_in.email',
  'email-or-username': 'sign_in.email_or_username',
  username: 'sign_in.username',
};

/** Fields for user name and password, on both sign-in pages. The cursor starts in the first empty field. */
function SignInFields({ words: { t }, names, username, wrong, forgotten, passkeys }: SignInFieldsProps) {
  const faulty = wrong ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  return (
    <>
      <label className="field">
        <span>{t(LABELS[names])}</span>
        <input
          name="username"
          dir="ltr"
          // `type=email` rejects letters beyond ASCII before the @
          type="text"
          inputMode={names === 'email' ? 'email' : undefined}
          autoComplete={passkeys ? 'username webauthn' : 'username'}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          defaultValue={username}
          // biome-ignore lint/a11y/noAutofocus: typing in this field is the purpose of the page, and the title names what is asked
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
            // biome-ignore lint/a11y/noAutofocus: same reason as for the field above
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

type PasskeyFormProps = {
  /** id for a button outside the form */
  id?: string;
  /** `get`: the user proves an existing passkey; `create`: the user adds a passkey */
  kind: 'get' | 'create';
  /** receives the response as `credential` and the sealed state as `passkey_state` */
  post: Post;
  asked: AskedPasskey;
  /** `form`: style for a form that is placed between other forms of the console */
  className?: 'stack' | 'form';
  /**
   * the browser suggests passkeys together with the user names that it remembers; the page must have a field for the
   * user name
   */
  conditional?: boolean;
  /** texts that the script displays */
  words: Words;
  children?: ReactNode;
};

/**
 * A form that is hidden until the page script (PASSKEY_SCRIPT) detects support for passkeys. If the user presses the
 * form's PasskeyButton, the script prompts for a passkey and posts the response. It also explains rejections and
 * timeouts of the browser.
 */
export function PasskeyForm({
  id,
  kind,
  post,
  asked,
  className = 'stack',
  conditional = false,
  words: { t },
  children,
}: PasskeyFormProps) {
  return (
    <form
      method="post"
      action={post.action}
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
      <Hidden fields={post.fields} />
      {children}
      <p className="note" role="status" data-passkey-says="asking" hidden />
      <p className="alert" role="alert" data-passkey-says="refused" hidden />
    </form>
  );
}

type PasskeyButtonProps = {
  /** id of the form, for a button outside it */
  form?: string;
  tone?: 'button' | 'button plain';
  children: string;
};

export function PasskeyButton({ form, tone = 'button plain', children }: PasskeyButtonProps) {
  return (
    <button type="button" className={tone} hidden data-passkey-ask {...(form !== undefined && { form })}>
      {children}
    </button>
  );
}

// Parts for a second factor, on hosted pages and in the console: the field for a code, the button for a passkey, and
// the secret of an app.

/** `app`: the code of an authenticator app. `recovery`: a recovery code. `either`: the form accepts both. */
type CodeKind = 'app' | 'recovery' | 'either';

/** Names of the code fields. One field accepts both codes of an app and recovery codes. */
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
  /** true: the error on the page (the element with the id `alert`) concerns this field */
  wrong: boolean;
  focus?: boolean;
};

function CodeField({ kind, name = 'code', label, hint, wrong, focus = false }: CodeFieldProps) {
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
          // biome-ignore lint/a11y/noAutofocus: typing in this field is the purpose of the page, and the title names what is asked
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

type CodeFormProps = CodeFieldProps & {
  post: Post;
  /** label and tone of the button */
  go: string;
  tone?: 'button' | 'button plain';
  /** content above the field */
  above?: ReactNode;
  /** content below the field */
  children?: ReactNode;
};

export function CodeForm({ post, go, tone = 'button', above, children, ...field }: CodeFormProps) {
  return (
    <PostForm post={post}>
      {above}
      <CodeField {...field} />
      {children}
      <button type="submit" className={tone}>
        {go}
      </button>
    </PostForm>
  );
}

type ProofsProps = {
  /** null: the user has no passkey for this page. `children`: further fields of its form */
  passkey: { post: Post; asked: AskedPasskey; children?: ReactNode } | null;
  /** null: the user has no code for this page */
  code: CodeFormProps | null;
  /** the proof with the emphasized button */
  main: 'passkey' | 'code';
  /** true: the passkey is above the code */
  passkeyFirst: boolean;
  words: Words;
};

/** Forms in which the user proves an existing second factor. */
export function Proofs({ passkey, code, main, passkeyFirst, words }: ProofsProps) {
  const { t } = words;
  const byPasskey = passkey && (
    <>
      <PasskeyForm kind="get" post={passkey.post} asked={passkey.asked} words={words}>
        {passkey.children}
        <PasskeyButton tone={main === 'passkey' ? 'button' : 'button plain'}>
          {t('factor.use_passkey')}
        </PasskeyButton>
      </PasskeyForm>
      <noscript>
        <p className="note">{t('factor.your_passkey_needs_script')}</p>
      </noscript>
    </>
  );
  return (
    <>
      {passkeyFirst && byPasskey}
      {code && <CodeForm {...code} tone={main === 'code' ? 'button' : 'button plain'} />}
      {!passkeyFirst && byPasskey}
      {code === null && passkey === null && <p className="alert">{t('step.nothing_left')}</p>}
    </>
  );
}

/** Help for users who lost every factor. `contact`: address of another operator to contact. */
export function Neither({ contact = null, words: { t, parts } }: { contact?: string | null; words: Words }) {
  return (
    <details className="more">
      <summary>{t('factor.neither')}</summary>
      <p>
        <Sentence parts={parts('factor.neither_ask', { service: <bdi>{settings().serviceName}</bdi> })} />
      </p>
      {contact !== null && (
        <p>
          <a href={contact}>{t('consent.contact')}</a>
        </p>
      )}
    </details>
  );
}

type TotpSecretProps = { svg: string; spelled: string; renewed: boolean; lead: string; words: Words };

/** The secret for setting up an app: as QR code, and as text that users can type. */
export function TotpSecret({ svg, spelled, renewed, lead, words: { t } }: TotpSecretProps) {
  return (
    <div className="app-secret">
      {renewed && (
        <p className="notice" role="status">
          {t('security.app_renewed')}
        </p>
      )}
      <p className="soft">{lead}</p>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: lib/factors draws this picture, which contains no user input */}
      <div className="qr" role="img" title={t('passkey.picture')} dangerouslySetInnerHTML={{ __html: svg }} />
      <p className="copy">
        <code dir="ltr">{spelled}</code>
      </p>
    </div>
  );
}

/**
 * Texts of the script next to the field for a new password. `more`: texts by the number of missing characters,
 * starting at zero.
 */
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
  /** true: the error on the page (the element with the id `alert`) concerns this field */
  wrong: boolean;
  focus: boolean;
  words: Words;
};

/** Field for a new password. A script rates its strength (NEW_PASSWORD_SCRIPT). */
function ChosenPassword({ label, minLength, wrong, focus, words }: ChosenPasswordProps) {
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
          // biome-ignore lint/a11y/noAutofocus: typing in this field is the purpose of the page, and the title names what is asked
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

type NewPasswordFormProps = {
  post: Post;
  /** name of the user, under which password managers store the new password */
  label: string;
  /** kind of code that proves the second factor; null: the form has no code field */
  code: keyof typeof FIELD_OF_CODE | null;
  minLength: number;
  /** the field to which the alert of the page belongs; null: none */
  wrong: 'password' | 'code' | null;
  words: Words;
  /** further buttons */
  children?: ReactNode;
};

/** Form for a new password, which replaces an owed or forgotten one. The page needs NEW_PASSWORD_SCRIPT. */
export function NewPasswordForm({
  post,
  label,
  code,
  minLength,
  wrong,
  words,
  children,
}: NewPasswordFormProps) {
  const { t } = words;
  return (
    <PostForm post={post}>
      <input type="text" name="username" autoComplete="username" value={label} readOnly hidden />
      <ChosenPassword
        label={t('account.new_password')}
        wrong={wrong === 'password'}
        focus={wrong !== 'code'}
        {...{ minLength, words }}
      />
      {code !== null && (
        <CodeField
          kind={FIELD_OF_CODE[code].kind}
          label={t('frame.code')}
          hint={t(FIELD_OF_CODE[code].hint)}
          wrong={wrong === 'code'}
          focus={wrong === 'code'}
        />
      )}
      <Go>{t('account.save_password')}</Go>
      {children}
    </PostForm>
  );
}

/** If the service has no mail server, shows where the mail that the page announces is stored. */
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

/** Fields of a registration step, and the other actions that the step offers. */
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
        <AddressField
          email={view.email}
          hint={t('register.email_hint')}
          wrong={view.alert !== null}
          words={words}
        />
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

type AddressFieldProps = { email: string; hint?: string; wrong: boolean; words: Words };

export function AddressField({ email, hint, wrong, words: { t } }: AddressFieldProps) {
  const described = [wrong && 'alert', hint !== undefined && 'email-hint'].filter((id) => id !== false);
  return (
    <div>
      <label className="field">
        <span>{t('sign_in.email')}</span>
        <input
          name="email"
          dir="ltr"
          // `type=email` rejects letters beyond ASCII before the @
          type="text"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={254}
          defaultValue={email}
          // biome-ignore lint/a11y/noAutofocus: typing in this field is the purpose of the page, and the title names what is asked
          autoFocus
          required
          {...faulty(wrong)}
          {...(described.length > 0 && { 'aria-describedby': described.join(' ') })}
        />
      </label>
      {hint !== undefined && (
        <p className="soft hint" id="email-hint">
          {hint}
        </p>
      )}
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
          // biome-ignore lint/a11y/noAutofocus: same reason as for the field above
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

/** Fields for name and password, for a user whose address is verified or who was invited. */
export function PasswordFields({ view: { email, name, minLength }, wrong, words }: PasswordFieldsProps) {
  const { t } = words;
  return (
    <>
      {/* password managers store the new password under this name */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <label className="field">
        <span>{t('register.name')}</span>
        <input
          name="name"
          dir="auto"
          autoComplete="name"
          maxLength={200}
          defaultValue={name}
          // biome-ignore lint/a11y/noAutofocus: same reason as for the field above
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
