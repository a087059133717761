import { Name } from '#app/_components/pieces.tsx';
import { readMyFactors } from '#lib/management/my-account.ts';
import { TextField } from '../../../_kit/fields.tsx';
import { Form } from '../../../_kit/form.tsx';
import { messageTitle } from '../../../_kit/page-language.ts';
import { Callout, Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { withQuery } from '../../../_kit/with-query.ts';

export const generateMetadata = messageTitle('security.app_an');

export default consolePage('/account/security/app', async ({ actor, query, form, typed, words: { t } }) => {
  const { passkeys, totps, required, maySetUp } = await readMyFactors(actor);
  const totp = totps.find(({ id }) => id === query['id']);
  const back = { href: '/account/security', label: t('security.heading') };
  if (!totp)
    return (
      <Title back={back} lead={t('security.no_passkey_lead')}>
        {t('security.no_app')}
      </Title>
    );
  const { id, name } = totp;
  return (
    <>
      <Title back={back}>
        <Name>{name ?? t('security.app')}</Name>
      </Title>
      <Panel id="rename" heading={t('security.rename')}>
        <Form {...(await form('app-rename'))} fields={{ id }} submit={t('my.name_save')} tone="plain">
          <TextField
            name="name"
            label={t('register.name')}
            hint={t('security.passkey_name_hint')}
            value={typed('app-rename').one('name', name ?? '')}
            maxLength={60}
          />
        </Form>
      </Panel>
      {maySetUp && (
        <Panel id="replace" heading={t('security.app_replace')} lead={t('security.app_replace_lead')}>
          <div className="form-actions">
            <a className="button plain" href={withQuery('/account/security/replace', { id })}>
              {t('security.app_replace')}
            </a>
          </div>
        </Panel>
      )}
      <Panel id="remove" heading={t('security.app_remove')} lead={t('security.remove_lead')}>
        {totps.length === 1 && passkeys.length === 0 && (
          <Callout>
            <p>
              {t('security.last')}
              {required && ` ${t('security.last_role')}`}
            </p>
          </Callout>
        )}
        <Form
          {...(await form('app-remove'))}
          fields={{ id }}
          submit={t('security.app_remove')}
          tone="danger"
        />
      </Panel>
    </>
  );
});
