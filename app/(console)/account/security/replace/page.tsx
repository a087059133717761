import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { now } from '#lib/kit/index.ts';
import { maySetUpNow, readMyFactors, viewReplacement } from '#lib/management/index.ts';
import { Form } from '../../../_ui/form.tsx';
import { visitWords } from '../../../_ui/page-language.ts';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { visit } from '../../../_visit/visit.tsx';
import { FreshFirst } from '../fresh-first.tsx';
import { TotpFields } from '../totp-fields.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t('security.app_replace'),
});

const HERE = '/account/security/replace';

export default function ReplacePage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: HERE, searchParams } as const;
  return visit(page, async ({ actor, form, words }) => {
    const { t } = words;
    const { maySetUp } = await readMyFactors(actor);
    const title = (
      <Title back={{ href: '/account/security', label: t('security.heading') }}>
        {t('security.app_replace')}
      </Title>
    );
    if (!maySetUp || !maySetUpNow(actor, now()))
      return (
        <>
          {title}
          <FreshFirst maySetUp={maySetUp} here={HERE} words={words} />
        </>
      );
    const made = await viewReplacement(actor);
    return (
      <>
        {title}
        <Panel
          id="app"
          heading={t('security.app_an')}
          lead={made ? t('security.app_replace_lead') : undefined}
        >
          {made ? (
            <Form
              {...(await form('app-replace'))}
              fields={{ sealed: made.sealed }}
              submit={t('security.app_replace')}
              leave={{ href: '/account/security', label: t('my.cancel') }}
            >
              <TotpFields totp={made} words={words} />
            </Form>
          ) : (
            <p>
              <a href="/account/security/add#app">{t('security.app_set_up')}</a>
            </p>
          )}
        </Panel>
      </>
    );
  });
}
