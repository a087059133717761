import { Name } from '#app/_components/pieces.tsx';
import { readMyFactors } from '#lib/management/my-account.ts';
import { TextField } from '../../../_kit/fields.tsx';
import { Form } from '../../../_kit/form.tsx';
import { messageTitle } from '../../../_kit/page-language.ts';
import { Callout, Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';

export const generateMetadata = messageTitle('security.passkey');

export default consolePage(
  '/account/security/passkey',
  async ({ actor, query, form, typed, words: { t } }) => {
    const { passkeys, totps, required } = await readMyFactors(actor);
    const passkey = passkeys.find(({ id }) => id === query['id']);
    const back = { href: '/account/security', label: t('security.heading') };
    if (!passkey)
      return (
        <Title back={back} lead={t('security.no_passkey_lead')}>
          {t('security.no_passkey')}
        </Title>
      );
    const { id, name } = passkey;
    const last = passkeys.length === 1 && totps.length === 0;
    return (
      <>
        <Title back={back}>
          <Name>{name}</Name>
        </Title>
        <Panel id="rename" heading={t('security.rename')}>
          <Form {...(await form('passkey-rename'))} fields={{ id }} submit={t('my.name_save')} tone="plain">
            <TextField
              name="name"
              label={t('register.name')}
              value={typed('passkey-rename').one('name', name)}
              maxLength={60}
            />
          </Form>
        </Panel>
        <Panel id="remove" heading={t('security.remove')} lead={t('security.remove_lead')}>
          {last && (
            <Callout>
              <p>
                {t('security.last')}
                {required && ` ${t('security.last_role')}`}
              </p>
            </Callout>
          )}
          <Form
            {...(await form('passkey-remove'))}
            fields={{ id }}
            submit={t('security.remove')}
            tone="danger"
          />
        </Panel>
      </>
    );
  },
);
