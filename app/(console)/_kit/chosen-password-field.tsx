import { newPasswordWords } from '#app/_components/sign-in-parts.tsx';
import type { Words } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import { NewPasswordField } from './new-password-field.tsx';

/** Field for a new password in the console, with the rules of the service. */
export function ChosenPasswordField({ words }: { words: Words }) {
  const least = settings().passwordMinLength;
  return (
    <NewPasswordField
      label={words.t('account.new_password')}
      hint={words.t('new_password.hint', { least })}
      words={newPasswordWords(words, least)}
    />
  );
}
