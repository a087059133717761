import Script from 'next/script';
import { PasskeyButton, PasskeyForm } from '#app/_components/sign-in-parts.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import { now } from '#lib/kit/clock.ts';
import { maySetUpNow, viewNewFactor } from '#lib/management/console-sign-in.ts';
import { readMyFactors } from '#lib/management/my-account.ts';
import { MOST_TOTPS } from '#lib/registry/values.ts';
import { TextField } from '../../../_kit/fields.tsx';
import { Form } from '../../../_kit/form.tsx';
import { messageTitle } from '../../../_kit/page-language.ts';
import { Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { FreshFirst, TotpFields } from '../set-up.tsx';

export const generateMetadata = messageTitle('security.add');

const HERE = '/account/security/add';

export default consolePage(HERE, async ({ actor, form, typed, words }) => {
  const { t } = words;
  const { maySetUp, totps } = await readMyFactors(actor);
  const title = (
    <Title back={{ href: '/account/security', label: t('security.heading') }}>{t('security.add')}</Title>
  );
  if (!maySetUp || !maySetUpNow(actor, now()))
    return (
      <>
        {title}
        <FreshFirst maySetUp={maySetUp} here={HERE} words={words} />
      </>
    );
  const { totp, passkey } = await viewNewFactor(actor, {
    totp: totps.length < MOST_TOTPS,
    shown: typed('app-add').one('sealed', typed('passkey-add').one('sealed')),
  });
  const add = await form('passkey-add');
  const name = {
    ...{ name: 'name', label: t('register.name'), hint: t('security.passkey_name_hint'), maxLength: 60 },
    ...{ optional: true, optionalWord: t('console.optional') },
  };
  return (
    <>
      {title}
      <div className="alone">
        {passkey && (
          <Panel id="passkey" heading={t('security.passkey')} lead={t('security.passkey_lead')}>
            {add.message && (
              <p className="alert" role="alert">
                {add.message}
              </p>
            )}
            <PasskeyForm
              kind="create"
              post={{
                action: add.action,
                fields: { anti_forgery: add.token, ...(totp && { sealed: totp.sealed }) },
              }}
              asked={passkey}
              className="form"
              words={words}
            >
              <TextField {...name} value={typed('passkey-add').one('name')} />
              <div className="form-actions">
                <PasskeyButton tone="button">{t('security.add_passkey')}</PasskeyButton>
              </div>
            </PasskeyForm>
            <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
          </Panel>
        )}
        {totp && (
          <Panel id="app" heading={t('security.app_an')}>
            <Form
              {...(await form('app-add'))}
              fields={{ sealed: totp.sealed }}
              submit={t('security.app_set_up_it')}
            >
              <TotpFields totp={totp} words={words} />
              <TextField {...name} value={typed('app-add').one('name')} />
            </Form>
          </Panel>
        )}
      </div>
    </>
  );
});
