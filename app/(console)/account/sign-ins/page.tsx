import { listMySignIns } from '#lib/management/my-account.ts';
import { Pager } from '../../_kit/list.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';
import { SignInList } from '../sign-ins.tsx';

export const generateMetadata = messageTitle('my.sign_ins_heading');

const path = '/account/sign-ins';

export default consolePage(path, async ({ actor, query, words: { t } }) => {
  const { cursor = '' } = query;
  const { rows, ...pages } = await listMySignIns(actor, { counted: true, cursor });
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('my.sign_ins_lead')}>
        {t('my.sign_ins_heading')}
      </Title>
      <SignInList rows={rows} />
      <Pager path={path} query={{ cursor }} {...pages} />
    </>
  );
});
