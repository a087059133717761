import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { visitWords } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { visit } from '../../_kit/visit.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t('my.data'),
});

export default function DataPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/data', searchParams } as const;
  return visit(page, async ({ words: { t } }) => (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('my.data_file_lead')}>
        {t('my.data')}
      </Title>
      <Panel id="file" heading={t('my.data_what')} lead={t('my.data_what_lead')}>
        <div className="form-actions">
          <a className="button" href="/account/data/file">
            {t('my.data_file')}
          </a>
        </div>
      </Panel>
    </>
  ));
}
