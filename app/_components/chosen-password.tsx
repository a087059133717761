import type { Words } from '#lib/language/words.ts';
import { newPasswordWords } from './new-password-words.ts';

type ChosenPasswordProps = {
  label: string;
  minLength: number;
  /** the page's alert, with the id `alert`, is about this field */
  wrong: boolean;
  focus: boolean;
  words: Words;
};

/** The field of a new password on hosted pages, where a script says how strong it is (app/_html). */
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
