// What a page about factors shows a person who has not signed in recently, or has nothing to set up here.
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/words.ts';
import { Panel } from '../../_ui/pieces.tsx';
import { withQuery } from '../../_ui/with-query.ts';

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
