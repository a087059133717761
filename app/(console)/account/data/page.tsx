import { messageTitle } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';

export const generateMetadata = messageTitle('my.data');

export default consolePage('/account/data', async ({ words: { t } }) => (
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
