import { TotpSecret } from '#app/_components/second-factor.tsx';
import type { Words } from '#lib/language/words.ts';
import { TextField } from '../../_ui/fields.tsx';

type TotpFieldsProps = { totp: { svg: string; spelled: string }; words: Words };

/** What sets up an authenticator app: its secret, and the code that it then shows. */
export function TotpFields({ totp, words }: TotpFieldsProps) {
  const { t } = words;
  return (
    <>
      <TotpSecret {...totp} lead={t('security.app_read')} words={words} />
      <TextField
        name="code"
        label={t('frame.code')}
        hint={t('security.code_hint')}
        autoComplete="one-time-code"
        code
      />
    </>
  );
}
