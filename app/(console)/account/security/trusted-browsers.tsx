import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { MyFactors } from '#lib/management/account/my-factors.ts';
import { Form } from '../../_ui/form.tsx';
import { List, Row } from '../../_ui/list.tsx';
import { visitWords } from '../../_ui/page-language.ts';
import { Panel } from '../../_ui/pieces.tsx';
import { Submit } from '../../_ui/submit.tsx';
import { When } from '../../_ui/when.tsx';
import { withQuery } from '../../_ui/with-query.ts';
import type { FormStart } from '../../_visit/start-form.ts';
import { deviceOf } from '../device-name.ts';

type Props = { browsers: MyFactors['trustedBrowsers']; forget: FormStart };

export async function TrustedBrowsers({ browsers, forget }: Props) {
  if (browsers.length === 0) return null;
  const words = await visitWords();
  const { t, parts } = words;
  return (
    <Panel
      id="browsers"
      heading={t('security.browsers')}
      lead={`${t('security.browsers_lead')} ${t('my.device_choose')}`}
      aside={
        <Form {...forget} className="inline" fields={{ id: 'all' }}>
          <Submit tone="link">{t('security.forget_all')}</Submit>
        </Form>
      }
    >
      <List label={t('security.browsers')}>
        {browsers.map(({ id, userAgent, name, lastUsedAt, expiresAt }) => (
          <Row
            key={id}
            href={withQuery('/account/device', { browser: id })}
            title={<Name>{name ?? deviceOf(userAgent, t)}</Name>}
            side={
              <Form {...forget} className="inline" fields={{ id }}>
                <Submit tone="plain" of={name ?? deviceOf(userAgent, t)}>
                  {t('security.forget')}
                </Submit>
              </Form>
            }
          >
            {name !== null && `${deviceOf(userAgent, t)} · `}
            <Sentence
              parts={parts('security.browsers_dates', {
                used: <When at={lastUsedAt} words={words} />,
                ends: <When at={expiresAt} words={words} />,
              })}
            />
          </Row>
        ))}
      </List>
    </Panel>
  );
}
