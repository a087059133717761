import type { ReactNode } from 'react';
import { type Words, wordsOf } from '#lib/language/words.ts';

export type PasskeyFormProps = {
  /** for a button in another place */
  id?: string;
  /** `get`: use a passkey; `create`: add one */
  kind: 'get' | 'create';
  /** where the answer is posted to, as `credential`, with the seal as `passkey_state` */
  action: string;
  /** what the browser is asked (JSON), and its seal */
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
 * Hidden until the page's script (PASSKEY_SCRIPT) finds that the browser knows passkeys. The script asks when the
 * form's PasskeyButton is pressed, and posts the answer. It says what to do where the browser refuses or does not
 * answer.
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
  /** the id of its form, where the form does not contain it */
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
