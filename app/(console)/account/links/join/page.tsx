import type { ReactNode } from 'react';
import { Sentence } from '#app/_components/pieces.tsx';
import { personLabel } from '#lib/catalogue/people/definition.ts';
import { type JoinView, readJoin } from '#lib/management/links.ts';
import { Refused } from '#lib/management/refused.ts';
import { Form } from '../../../_kit/form.tsx';
import { refusedInWords } from '../../../_kit/in-words.ts';
import { messageTitle } from '../../../_kit/page-language.ts';
import { Callout, Panel, Title, When } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { JoinWho } from '../../shown.tsx';

export const generateMetadata = messageTitle('links.title');

const LINKS = '/account/links';

export default consolePage('/account/links/join', async ({ actor, query, form, words }) => {
  const { t, parts } = words;
  const back = { href: LINKS, label: t('links.heading') };
  const proof = query['proof'] ?? '';
  const joinView = await shownOf(readJoin(actor, { proof }));
  if (joinView instanceof Refused)
    return (
      <Title back={back} lead={refusedInWords(words, joinView)}>
        {t('links.not_added')}
      </Title>
    );
  const { method, label, other } = joinView;
  return (
    <>
      <Title back={back}>{t('links.join_heading')}</Title>
      <Panel id="join" heading={method}>
        <JoinWho label={label} me={personLabel(actor)} words={words} />
        {other && (
          <Callout>
            <p>
              <Sentence
                parts={parts<'links.join_other', ReactNode>('links.join_other', {
                  since: <When at={other.createdAt} words={words} />,
                  count: other.consents,
                })}
              />
            </p>
          </Callout>
        )}
        <Form
          {...(await form('link-join'))}
          fields={{ proof }}
          submit={t('links.join')}
          leave={{ href: LINKS, label: t('my.cancel') }}
        />
      </Panel>
    </>
  );
});

async function shownOf(viewPromise: Promise<JoinView>): Promise<JoinView | Refused> {
  try {
    return await viewPromise;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'conflict') return error;
    throw error;
  }
}
