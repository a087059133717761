import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/index.ts';
import { listMyWays, type MyWays } from '#lib/management/index.ts';
import { methodCan } from '#lib/registry/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { visitWords } from '../../_ui/page-language.ts';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { type Visit, visit } from '../../_visit/visit.tsx';
import { WayFacts } from './way-shown.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t('ways.heading'),
});

export default function WaysPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/ways', searchParams } as const;
  return visit(page, async ({ actor, form, typed, words }) => {
    const { t, parts } = words;
    const ways = await listMyWays(actor);
    return (
      <>
        <Title back={{ href: '/account', label: t('my.heading') }} lead={t('ways.lead')}>
          {t('ways.heading')}
        </Title>
        {ways.hasPassword && (
          <Panel id="password" heading={t('sign_in.password')}>
            <p>
              <Sentence
                parts={parts('ways.for', {
                  email: <bdi>{ways.email}</bdi>,
                  change: <a href="/account/password">{t('my.password_change_it')}</a>,
                })}
              />
            </p>
          </Panel>
        )}
        <Theirs ways={ways} form={form} words={words} />
        {
          await Promise.all(
            ways.addable.map(async ({ id, name, type }) => (
              <Panel
                key={id}
                id={`add-${id}`}
                heading={t('ways.add', { method: words.shown(name).text })}
                lead={t('ways.add_lead')}
              >
                {methodCan({ type }, 'redirects') ? (
                  <Form
                    {...(await form('way-elsewhere'))}
                    fields={{ authMethodId: id }}
                    submit={t('ways.go')}
                    tone="plain"
                  />
                ) : (
                  <Form
                    {...(await form('way-password'))}
                    fields={{ authMethodId: id }}
                    submit={t('ways.prove')}
                    tone="plain"
                  >
                    <TextField
                      name="username"
                      label={t('ways.username')}
                      value={typed('way-password').one('username', '')}
                      autoComplete="off"
                      maxLength={320}
                      code
                    />
                    <TextField
                      name="secret"
                      label={t('ways.its_password')}
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
}

type TheirsProps = { ways: MyWays; form: Visit['form']; words: Words };

async function Theirs({ ways, form, words }: TheirsProps) {
  const { t } = words;
  const last = ways.identities.length === 1 && !ways.hasPassword;
  return Promise.all(
    ways.identities.map(async (one) => (
      <Panel key={one.authMethodId} id={one.authMethodId} heading={one.methodName}>
        <WayFacts of={one} words={words} />
        {!one.current && !last && (
          <Form
            {...(await form('way-remove'))}
            fields={{ authMethodId: one.authMethodId }}
            submit={t('ways.take_away')}
            tone="danger"
          />
        )}
      </Panel>
    )),
  );
}
