import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import type { SearchParams } from '#app/_components/page-input.ts';
import { Sentence } from '#app/_components/sentence.tsx';
import { type JoinView, readJoin } from '#lib/management/account/links.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { personLabel } from '#lib/registry/objects/person.ts';
import { refusedInWords } from '../../../_forms/in-words.ts';
import { Form } from '../../../_ui/form.tsx';
import { visitWords } from '../../../_ui/page-language.ts';
import { Callout, Panel, Title } from '../../../_ui/pieces.tsx';
import { When } from '../../../_ui/when.tsx';
import { visit } from '../../../_visit/visit.tsx';
import { JoinWho } from '../link-shown.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t('links.title'),
});

const LINKS = '/account/links';

export default function JoinPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/links/join', searchParams } as const;
  return visit(page, async ({ actor, query, form, words }) => {
    const { t, parts } = words;
    const back = { href: LINKS, label: t('links.heading') };
    const proof = query['proof'] ?? '';
    const shown = await shownOf(readJoin(actor, { proof }));
    if (shown instanceof Refused)
      return (
        <Title back={back} lead={refusedInWords(words, shown)}>
          {t('links.not_added')}
        </Title>
      );
    const { method, label, other } = shown;
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
}

async function shownOf(asked: Promise<JoinView>): Promise<JoinView | Refused> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'conflict') return error;
    throw error;
  }
}
