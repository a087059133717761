// What a person should do next about their factors: the most urgent one only.
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/words.ts';
import type { MyFactors } from '#lib/management/account/my-factors.ts';
import { Callout } from '../../_ui/pieces.tsx';
import { When } from '../../_ui/when.tsx';
import { withQuery } from '../../_ui/with-query.ts';
import { type Advice, adviceOn } from './advice.ts';

/** Of several apps the person chooses the one that is lost. */
const wayOf = ({ totps: [only, another] }: MyFactors): Record<Advice, string> => ({
  add: '/account/security/add',
  phone:
    only && !another ? withQuery('/account/security/replace', { id: only.id }) : '/account/security#apps',
  factor: '/account/security/add',
  codes: '/account/security#codes',
});

type Props = { factors: MyFactors; words: Words };

export function Nudge({ factors, words }: Props) {
  const advice = adviceOn(factors);
  if (advice === null) return null;
  const { t, parts } = words;
  const left = factors.recoveryCodes;
  return (
    <Callout>
      <p>
        {advice === 'add' && t('security.none_yet')}
        {(advice === 'phone' || advice === 'factor') && (
          <Sentence
            parts={parts('security.nudge_phone', {
              left,
              at: <When at={factors.codeUsedAt} words={words} />,
            })}
          />
        )}
        {advice === 'codes' && (left === 0 ? t('security.codes_none') : t('security.nudge_codes', { left }))}
      </p>
      <p>
        <a href={wayOf(factors)[advice]}>
          {advice === 'add' && t('security.add')}
          {(advice === 'phone' || advice === 'factor') && t('security.nudge_phone_go')}
          {advice === 'codes' && t('security.codes_make')}
        </a>
      </p>
    </Callout>
  );
}
