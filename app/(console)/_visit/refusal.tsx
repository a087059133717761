import type { Refused } from '#lib/management/index.ts';
import { visitWords } from '../_ui/page-language.ts';
import { refusedAccess } from './access.ts';

/** Shown in the place of a page that was refused. */
export async function Refusal({ error }: { error: Refused }) {
  const words = await visitWords();
  const { t, told } = words;
  const { heading, message } = refusedAccess(error, words);
  return (
    <div className="refusal">
      <h1>{t(heading)}</h1>
      <p className="lead">{told(message)}</p>
      <p>
        <a className="button plain" href="/account">
          {t('account.to_account')}
        </a>
      </p>
    </div>
  );
}
