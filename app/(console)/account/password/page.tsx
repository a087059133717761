import { readMyProfile } from '#lib/management/my-account.ts';
import { ChosenPasswordField } from '../../_kit/chosen-password-field.tsx';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';

export const generateMetadata = messageTitle('my.password_heading');

export default consolePage('/account/password', async ({ actor, form, words }) => {
  const { t } = words;
  const { email, username, hasPassword } = await readMyProfile(actor);
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }}>{t('my.password_heading')}</Title>
      <Panel id="password" heading={t('my.password_new')} lead={t('my.password_lead')}>
        {hasPassword ? (
          <Form
            {...(await form('password'))}
            submit={t('my.password_change')}
            leave={{ href: '/account', label: t('my.cancel') }}
          >
            <input type="hidden" name="username" autoComplete="username" value={email ?? username ?? ''} />
            <TextField
              name="oldPassword"
              label={t('my.password_now')}
              type="password"
              autoComplete="current-password"
            />
            <ChosenPasswordField words={words} />
          </Form>
        ) : (
          <p>{t('my.password_none')}</p>
        )}
      </Panel>
    </>
  );
});
