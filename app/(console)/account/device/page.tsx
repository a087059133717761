import { Name } from '#app/_components/pieces.tsx';
import { listMySessions, readMyFactors } from '#lib/management/my-account.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';
import { deviceOf } from '../device-name.ts';

export const generateMetadata = messageTitle('security.rename');

export default consolePage('/account/device', async ({ actor, query, form, typed, words: { t } }) => {
  const { session = '', browser = '' } = query;
  const trusts = browser !== '';
  const [id, device] = trusts ? [browser, 'browser'] : [session, 'session'];
  const rows = trusts ? (await readMyFactors(actor)).trustedBrowsers : await listMySessions(actor);
  const chosenDevice = rows.find((row) => row.id === id);
  const back = trusts
    ? { href: '/account/security', label: t('security.heading') }
    : { href: '/account', label: t('my.heading') };
  if (!chosenDevice)
    return (
      <Title back={back} lead={t('my.device_none_lead')}>
        {t('my.device_none')}
      </Title>
    );
  const proposed = deviceOf(chosenDevice.userAgent, t);
  return (
    <>
      <Title back={back}>
        <Name>{chosenDevice.name ?? proposed}</Name>
      </Title>
      <Panel id="rename" heading={t('security.rename')}>
        <Form
          {...(await form('device-name'))}
          fields={{ id, device }}
          submit={t('my.name_save')}
          tone="plain"
        >
          <TextField
            name="name"
            label={t('register.name')}
            hint={t('my.device_name_hint', { device: proposed })}
            value={typed('device-name').one('name', chosenDevice.name ?? '')}
            maxLength={60}
            optional
            optionalWord={t('console.optional')}
          />
        </Form>
      </Panel>
    </>
  );
});
