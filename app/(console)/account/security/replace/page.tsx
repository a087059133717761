import { now } from '#lib/kit/clock.ts';
import { maySetUpNow, viewReplacement } from '#lib/management/console-sign-in.ts';
import { readMyFactors } from '#lib/management/my-account.ts';
import { Form } from '../../../_kit/form.tsx';
import { messageTitle } from '../../../_kit/page-language.ts';
import { Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { withQuery } from '../../../_kit/with-query.ts';
import { FreshFirst, TotpFields } from '../set-up.tsx';

export const generateMetadata = messageTitle('security.app_replace');

const HERE = '/account/security/replace';

export default consolePage(HERE, async ({ actor, query, form, typed, words }) => {
  const { t } = words;
  const { maySetUp, totps } = await readMyFactors(actor);
  // with a single app, the address needs no id
  const id = query['id'] ?? (totps.length === 1 ? totps[0]?.id : undefined);
  const totp = totps.find((app) => app.id === id);
  const title = (
    <Title back={{ href: '/account/security', label: t('security.heading') }}>
      {t('security.app_replace')}
    </Title>
  );
  if (!maySetUp || !maySetUpNow(actor, now()))
    return (
      <>
        {title}
        <FreshFirst maySetUp={maySetUp} here={withQuery(HERE, { id: id ?? '' })} words={words} />
      </>
    );
  const shown = typed('app-replace').one('sealed');
  const replacement = totp ? await viewReplacement(actor, totp.id, shown) : null;
  return (
    <>
      {title}
      <Panel
        id="app"
        heading={totp?.name ?? t('security.app_an')}
        lead={replacement ? t('security.app_replace_lead') : undefined}
      >
        {replacement ? (
          <Form
            {...(await form('app-replace'))}
            fields={{ sealed: replacement.sealed, id: id ?? '' }}
            submit={t('security.app_replace')}
            leave={{ href: '/account/security', label: t('my.cancel') }}
          >
            <TotpFields totp={replacement} words={words} />
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
