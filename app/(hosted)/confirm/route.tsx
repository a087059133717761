import { Asker } from '#app/_components/asker.tsx';
import { HostedPage } from '#app/_components/hosted-page.tsx';
import { Name } from '#app/_components/name.tsx';
import { Onward } from '#app/_components/onward.tsx';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import { Unusable } from '#app/_components/unusable.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage, styleOf } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import type { Words } from '#lib/language/index.ts';
import { type ConfirmView, viewConfirm } from '#lib/oauth/index.ts';

export const dynamic = 'force-dynamic';

const ACTION = '/confirm/submit';

export const GET = htmlPage(
  async ({ query, cookie, requestId, frameFor }) => {
    const view = await viewConfirm({ interaction: query('interaction'), with: query('with'), cookie });
    const frame = frameFor(view.kind === 'ready' ? view.locale : null);
    const status = view.kind === 'unusable' ? 400 : 200;
    const passkeys = view.kind === 'ready' && view.passkey !== null;
    const content = <ConfirmPage view={view} requestId={requestId} frame={frame} />;
    return {
      status,
      title: frame.words.t('factor.confirm'),
      content,
      style: styleOf(view),
      ...(passkeys && { script: PASSKEY_SCRIPT }),
    };
  },
  { personal: true, translated: true },
);

function ConfirmPage({
  view,
  requestId,
  frame,
}: {
  view: ConfirmView;
  requestId: string;
  frame: HostedFrame;
}) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} requestId={requestId} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, field, other, passkey, spareDays } = view;
  const bindings = (
    <>
      <input type="hidden" name="interaction" value={view.interaction} />
      <input type="hidden" name="anti_forgery" value={view.antiForgery} />
    </>
  );
  const spare = spareDays !== null && <Spare days={spareDays} words={words} />;
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('factor.confirm')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('factor.lead', { person: <Name>{label}</Name> })} />
      </p>
      {alert !== null && (
        <p className="alert" role="alert" id="alert">
          {sentence(alert)}
        </p>
      )}
      {passkey !== null && (
        <>
          <PasskeyForm kind="get" action={ACTION} asked={passkey} words={words}>
            {bindings}
            {field === null && spare}
            <PasskeyButton tone={field === null ? 'button' : 'button plain'}>
              {t('factor.use_passkey')}
            </PasskeyButton>
          </PasskeyForm>
          <noscript>
            <p className="note">{t('factor.your_passkey_needs_script')}</p>
          </noscript>
        </>
      )}
      {field !== null && (
        <form method="post" action={ACTION} className="stack">
          {bindings}
          <ProofField kind={field} wrong={alert !== null} words={words} />
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
    </HostedPage>
  );
}

type ProofFieldProps = { kind: 'code' | 'recovery code'; wrong: boolean; words: Words };

function ProofField({ kind, wrong, words: { t } }: ProofFieldProps) {
  const faulty = wrong ? { 'aria-invalid': true, 'aria-describedby': 'alert' } : {};
  if (kind === 'code')
    return (
      <div>
        <label className="field">
          <span>{t('frame.code')}</span>
          <input
            name="code"
            dir="ltr"
            inputMode="numeric"
            autoComplete="one-time-code"
            // biome-ignore lint/a11y/noAutofocus: typing here is what the page is for, and its title says what is asked
            autoFocus
            required
            {...faulty}
            aria-describedby={wrong ? 'alert code-hint' : 'code-hint'}
          />
        </label>
        <p className="soft hint" id="code-hint">
          {t('factor.code_hint')}
        </p>
      </div>
    );
  return (
    <label className="field">
      <span>{t('factor.recovery_code')}</span>
      <input
        name="recovery_code"
        dir="ltr"
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: as above
        autoFocus
        required
        {...faulty}
      />
    </label>
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
