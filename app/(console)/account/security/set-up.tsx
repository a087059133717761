// Shared parts of the pages that set up an authenticator app.
import { Sentence } from '#app/_components/pieces.tsx';
import { TotpSecret } from '#app/_components/sign-in-parts.tsx';
import type { Words } from '#lib/language/words.ts';
import type { OfferedTotp } from '#lib/sign-in/steps.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Panel } from '../../_kit/pieces.tsx';
import { withQuery } from '../../_kit/with-query.ts';

type Props = { maySetUp: boolean; here: string; words: Words };

export function FreshFirst({ maySetUp, here, words: { t, parts } }: Props) {
  return (
    <Panel id="again" heading={t('security.add_first')}>
      {maySetUp ? (
        <p>
          <Sentence
            parts={parts('security.add_takes', {
              show: <a href={withQuery('/account/again', { to: here })}>{t('security.add_still_you')}</a>,
            })}
          />
        </p>
      ) : (
        <p>{t('security.elsewhere')}</p>
      )}
    </Panel>
  );
}

type TotpFieldsProps = { totp: Pick<OfferedTotp, 'svg' | 'spelled' | 'renewed'>; words: Words };

/** Setup of an authenticator app: the secret, and a code that confirms it. */
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
