import { HostedPage } from '#app/_components/frame.tsx';
import { Asker, BoundTo, Onward, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert, CodeField, Neither, PasskeyProof } from '#app/_components/sign-in-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { viewConfirm } from '#lib/oauth/pages/second-step.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';

const ACTION = '/confirm/submit';

export const GET = htmlPage(ConfirmPage, { personal: true });

async function ConfirmPage({ query, cookie, frameFor }: Visit) {
  const view = await viewConfirm({ interaction: query('interaction'), with: query('with'), cookie });
  const passkeys = view.kind === 'ready' && view.passkey !== null;
  const scripts = passkeys ? [PASSKEY_SCRIPT] : undefined;
  const frame = frameFor({ title: 'factor.confirm', view, scripts });
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, field, other, passkey, spareDays } = view;
  const bindings = <BoundTo {...view} />;
  const spare = spareDays !== null && <Spare days={spareDays} words={words} />;
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('factor.confirm')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('factor.lead', { person: <Name>{label}</Name> })} />
      </p>
      <Alert message={alert && sentence(alert)} />
      {passkey !== null && (
        <PasskeyProof action={ACTION} asked={passkey} words={words} only={field === null}>
          {bindings}
          {field === null && spare}
        </PasskeyProof>
      )}
      {field !== null && (
        <form method="post" action={ACTION} className="stack">
          {bindings}
          {field === 'code' ? (
            <CodeField
              kind="app"
              label={t('frame.code')}
              hint={t('factor.code_hint')}
              wrong={alert !== null}
              focus
            />
          ) : (
            <CodeField
              kind="recovery"
              name="recovery_code"
              label={t('factor.recovery_code')}
              wrong={alert !== null}
              focus
            />
          )}
          {spare}
          <button type="submit" className="button">
            {t('frame.continue')}
          </button>
        </form>
      )}
      {field === null && passkey === null && <p className="alert">{t('step.nothing_left')}</p>}
      <form method="post" action={ACTION} className="ways">
        {bindings}
        {other !== null && (
          <a href={other}>{field === 'recovery code' ? t('factor.another_way') : t('factor.use_recovery')}</a>
        )}
        <button type="submit" name="cancel" value="1" className="button quiet">
          {t('frame.cancel')}
        </button>
      </form>
      <Neither service={settings().serviceName} words={words}>
        {view.api.contactUri !== null && (
          <p>
            <a href={view.api.contactUri}>{t('consent.contact')}</a>
          </p>
        )}
      </Neither>
    </HostedPage>
  );
}

function Spare({ days, words: { t } }: { days: number; words: Words }) {
  return (
    <label className="tick">
      <input type="checkbox" name="trust" value="1" />
      <span>{t('factor.spare', { days })}</span>
    </label>
  );
}
