import Script from 'next/script';
import { PasskeyButton, PasskeyForm } from '#app/_components/sign-in-parts.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { personLabel } from '#lib/catalogue/people/definition.ts';
import { askPasskeyAgain, listConsoleMethods } from '#lib/management/console-sign-in.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';

export const generateMetadata = messageTitle('my.again');

export default consolePage({ path: '/account/again', here: '' }, async ({ actor, query, form, words }) => {
  const { t } = words;
  const methods = await listConsoleMethods();
  const method = methods.find(({ id }) => id === actor.session.authMethodId);
  const passkey = await askPasskeyAgain(actor);
  const byPasskey = await form('passkey-again');
  const to = query['to'] ?? '/account';
  return (
    <>
      <Title lead={t('my.again_lead')}>{t('my.again')}</Title>
      <Panel id="again" heading={personLabel(actor)}>
        {method && methodCan(method, 'hasAccounts') ? (
          <Form {...(await form('sign-in-again'))} submit={t('my.again_go')}>
            <input
              type="hidden"
              name="username"
              autoComplete="username"
              value={actor.email ?? actor.username ?? ''}
            />
            <input type="hidden" name="to" value={to} />
            <TextField
              name="password"
              label={t('sign_in.password')}
              type="password"
              autoComplete="current-password"
              autoFocus
            />
          </Form>
        ) : (
          <p>{t('my.again_elsewhere')}</p>
        )}
        {passkey && (
          <PasskeyForm
            kind="get"
            post={{ action: byPasskey.action, fields: { anti_forgery: byPasskey.token, to } }}
            asked={passkey}
            className="form"
            words={words}
          >
            <div className="form-actions">
              <PasskeyButton>{t('factor.use_passkey')}</PasskeyButton>
            </div>
            {byPasskey.message && (
              <p className="alert" role="alert">
                {byPasskey.message}
              </p>
            )}
          </PasskeyForm>
        )}
        {passkey && <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />}
      </Panel>
    </>
  );
});
