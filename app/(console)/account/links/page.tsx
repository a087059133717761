import { Sentence } from '#app/_components/pieces.tsx';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import type { Words } from '#lib/language/words.ts';
import { listMyLinks, type MyLinks } from '#lib/management/links.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { MethodPicture, Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage, type Visit } from '../../_kit/visit.tsx';
import { LinkFacts } from '../shown.tsx';

export const generateMetadata = messageTitle('links.heading');

export default consolePage('/account/links', async ({ actor, form, typed, words }) => {
  const { t, parts } = words;
  const links = await listMyLinks(actor);
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('links.lead')}>
        {t('links.heading')}
      </Title>
      {links.hasPassword && (
        <Panel id="password" heading={t('sign_in.password')}>
          <p>
            <Sentence
              parts={parts('links.for', {
                email: <bdi>{links.email}</bdi>,
                change: <a href="/account/password">{t('my.password_change_it')}</a>,
              })}
            />
          </p>
        </Panel>
      )}
      <Theirs links={links} form={form} words={words} />
      {
        await Promise.all(
          links.addable.map(async ({ id, name, type, preset }) => (
            <Panel
              key={id}
              id={`add-${id}`}
              heading={
                <>
                  <MethodPicture of={preset} />
                  {t('links.add', { method: words.shown(name).text })}
                </>
              }
              lead={t('links.add_lead')}
            >
              {methodCan({ type }, 'redirects') ? (
                <Form
                  {...(await form('link-elsewhere'))}
                  fields={{ authMethodId: id }}
                  submit={t('links.go')}
                  tone="plain"
                />
              ) : (
                <Form
                  {...(await form('link-password'))}
                  fields={{ authMethodId: id }}
                  submit={t('links.prove')}
                  tone="plain"
                >
                  <TextField
                    name="username"
                    label={t('links.username')}
                    value={typed('link-password').one('username', '')}
                    autoComplete="off"
                    maxLength={320}
                    code
                  />
                  <TextField
                    name="secret"
                    label={t('links.its_password')}
                    type="password"
                    autoComplete="off"
                  />
                </Form>
              )}
            </Panel>
          )),
        )
      }
    </>
  );
});

type TheirsProps = { links: MyLinks; form: Visit['form']; words: Words };

async function Theirs({ links, form, words }: TheirsProps) {
  const { t } = words;
  const last = links.identities.length === 1 && !links.hasPassword;
  return Promise.all(
    links.identities.map(async (identity) => (
      <Panel key={identity.authMethodId} id={identity.authMethodId} heading={identity.methodName}>
        <LinkFacts of={identity} words={words} />
        {!identity.current && !last && (
          <Form
            {...(await form('link-remove'))}
            fields={{ authMethodId: identity.authMethodId }}
            submit={t('links.take_away')}
            tone="danger"
          />
        )}
      </Panel>
    )),
  );
}
