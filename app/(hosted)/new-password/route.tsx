import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Asker, Onward, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { ChosenPassword, CodeField, FIELD_OF_CODE, Neither } from '#app/_components/sign-in-parts.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { NEW_PASSWORD_SCRIPT } from '#app/_html/scripts.ts';
import { type NewPasswordView, viewNewPassword } from '#lib/oauth/pages/second-step.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, cookie, requestId, frameFor }) => {
    const view = await viewNewPassword({ interaction: query('interaction'), wrong: query('wrong'), cookie });
    const ready = view.kind === 'ready';
    const frame = frameFor(ready ? view.locale : null);
    return {
      status: view.kind === 'unusable' ? 400 : 200,
      title: frame.words.t('account.choose_password'),
      content: <NewPasswordPage view={view} requestId={requestId} frame={frame} />,
      style: styleOf(view),
      ...(ready && { scripts: [NEW_PASSWORD_SCRIPT] }),
    };
  },
  { personal: true, translated: true },
);

type PageProps = { view: NewPasswordView; requestId: string; frame: HostedFrame };

function NewPasswordPage({ view, requestId, frame }: PageProps) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, wrong, code, minLength } = view;
  const canGoOn = code !== 'none-left';
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('account.choose_password')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('new_password.owed', { person: <Name>{label}</Name> })} />
      </p>
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {sentence(alert)}
        </p>
      )}
      <form method="post" action="/new-password/submit" className="stack">
        <input type="hidden" name="interaction" value={view.interaction} />
        <input type="hidden" name="anti_forgery" value={view.antiForgery} />
        {canGoOn ? (
          <>
            {/* password managers store the new password under this name */}
            <input type="text" name="username" autoComplete="username" value={label} readOnly hidden />
            <ChosenPassword
              label={t('account.new_password')}
              wrong={wrong === 'password'}
              focus={wrong !== 'code'}
              {...{ minLength, words }}
            />
            {code !== null && (
              <CodeField
                kind={FIELD_OF_CODE[code].kind}
                label={t('frame.code')}
                hint={t(FIELD_OF_CODE[code].hint)}
                wrong={wrong === 'code'}
                focus={wrong === 'code'}
              />
            )}
            <button type="submit" className="button">
              {t('account.save_password')}
            </button>
          </>
        ) : (
          <p className="alert">{t('new_password.by_passkey')}</p>
        )}
        <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
          {t('frame.cancel')}
        </button>
      </form>
      {code !== null && (
        <Neither service={settings().serviceName} words={words}>
          {view.api.contactUri !== null && (
            <p>
              <a href={view.api.contactUri}>{t('consent.contact')}</a>
            </p>
          )}
        </Neither>
      )}
    </HostedPage>
  );
}
