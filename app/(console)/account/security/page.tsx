import Script from 'next/script';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { readMyFactors } from '#lib/management/my-account.ts';
import { MOST_TOTPS } from '#lib/registry/values.ts';
import { Form } from '../../_kit/form.tsx';
import { List, Row } from '../../_kit/list.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Callout, Panel, Pill, Title, When } from '../../_kit/pieces.tsx';
import { consolePage, type Visit } from '../../_kit/visit.tsx';
import { withQuery } from '../../_kit/with-query.ts';
import { Nudge, TrustedBrowsers } from './panels.tsx';

export const generateMetadata = messageTitle('security.heading');

const ADD = '/account/security/add';

export default consolePage('/account/security', async ({ actor, form, words }) => {
  const { t, parts } = words;
  const factors = await readMyFactors(actor);
  const { passkeys, totps, recoveryCodes, trustedBrowsers, maySetUp, rpId } = factors;
  const has = totps.length + passkeys.length > 0;
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('security.lead')}>
        {t('security.heading')}
      </Title>
      {!maySetUp && !has && (
        <Callout>
          <p>{t('security.elsewhere')}</p>
        </Callout>
      )}
      <Nudge factors={factors} words={words} />
      {actor.email === null && maySetUp && (
        <Callout>
          <p>{t('security.no_address')}</p>
        </Callout>
      )}
      <Panel
        id="passkeys"
        heading={t('security.passkeys')}
        lead={t('security.passkeys_lead')}
        aside={maySetUp && factors.hasPasskeys && <a href={`${ADD}#passkey`}>{t('security.add_passkey')}</a>}
      >
        <List label={t('security.passkeys')}>
          {passkeys.map((passkey) => (
            <Row
              key={passkey.id}
              href={withQuery('/account/security/passkey', { id: passkey.id })}
              title={<Name>{passkey.name}</Name>}
              pills={
                passkey.rpId !== rpId && (
                  <Pill tone="waiting">{t('security.only_at', { host: passkey.rpId })}</Pill>
                )
              }
            >
              <Sentence
                parts={parts(passkey.backedUp ? 'security.passkey_synced' : 'security.passkey_one_device', {
                  at: <When at={passkey.createdAt} words={words} />,
                  used: <When at={passkey.lastUsedAt} words={words} />,
                })}
              />
            </Row>
          ))}
        </List>
        {passkeys.length === 0 && <p>{t('security.none')}</p>}
      </Panel>
      <Panel
        id="apps"
        heading={t('security.apps')}
        lead={t('security.app_lead')}
        aside={
          maySetUp &&
          totps.length < MOST_TOTPS && (
            <a href={`${ADD}#app`}>
              {t(totps.length === 0 ? 'security.app_set_up' : 'security.app_another')}
            </a>
          )
        }
      >
        <List label={t('security.apps')}>
          {totps.map(({ id, name, createdAt, lastUsedAt }) => (
            <Row
              key={id}
              href={withQuery('/account/security/app', { id })}
              title={<Name>{name ?? t('security.app')}</Name>}
            >
              <Sentence
                parts={parts('security.app_dates', {
                  at: <When at={createdAt} words={words} />,
                  used: <When at={lastUsedAt} words={words} />,
                })}
              />
            </Row>
          ))}
        </List>
        {totps.length === 0 && <p>{t('security.none')}</p>}
      </Panel>
      {has && <RecoveryCodes left={recoveryCodes} form={form} words={words} />}
      <TrustedBrowsers browsers={trustedBrowsers} forget={await form('browser-forget')} />
      {maySetUp && factors.hasPasskeys && (
        <div hidden data-passkey-signal={factors.signal}>
          <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
        </div>
      )}
    </>
  );
});

type RecoveryCodesProps = { left: number; form: Visit['form']; words: Words };

async function RecoveryCodes({ left, form, words: { t } }: RecoveryCodesProps) {
  return (
    <Panel id="codes" heading={t('security.codes')} lead={t('security.codes_lead')}>
      <p>{left === 0 ? t('security.codes_none') : t('security.codes_left', { left })}</p>
      <Form {...(await form('recovery-codes'))} submit={t('security.codes_make')} tone="plain" />
    </Panel>
  );
}
