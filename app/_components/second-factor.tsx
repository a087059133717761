// What hosted pages and console show of a second factor: the field of a code, a passkey's button, and an app's secret.
import type { ReactNode } from 'react';
import type { Words } from '#lib/language/words.ts';
import { PasskeyButton, PasskeyForm, type PasskeyFormProps } from './passkey-form.tsx';
import { Sentence } from './sentence.tsx';

/** `app`: the digits of an app. `recovery`: a recovery code. `either`: the form takes both. */
export type CodeKind = 'app' | 'recovery' | 'either';

/** Where the app and the recovery codes of a person are asked for in one field. */
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
  /** the page's alert, with the id `alert`, is about this field */
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
  /** the only proof that the page asks for */
  only: boolean;
  children: ReactNode;
};

/** Proves a passkey that the person has. `children`: the other fields of the form. */
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

/** For a person who has lost everything that the page asks for: who can help. `children`: another contact. */
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

/** The secret of an app that is set up: for its camera, and to be typed. */
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
