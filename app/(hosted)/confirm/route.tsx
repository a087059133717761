import { HostedPage } from '#app/_components/frame.tsx';
import { Asker, Onward, postTo, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert, Neither, PostForm, Proofs } from '#app/_components/sign-in-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { viewConfirm } from '#lib/oauth/pages/second-step.ts';

export const dynamic = 'force-dynamic';

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
  const post = postTo('/confirm/submit', view);
  const codeField =
    field === 'code'
      ? ({ kind: 'app', label: t('frame.code'), hint: t('factor.code_hint') } as const)
      : ({ kind: 'recovery', name: 'recovery_code', label: t('factor.recovery_code') } as const);
  const spare = spareDays !== null && <Spare days={spareDays} words={words} />;
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('factor.confirm')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('factor.lead', { person: <Name>{label}</Name> })} />
      </p>
      <Alert message={alert && sentence(alert)} />
      <Proofs
        passkey={passkey && { post, asked: passkey, children: field === null && spare }}
        code={
          field && {
            post,
            wrong: view.wrong,
            focus: true,
            go: t('frame.continue'),
            children: spare,
            ...codeField,
          }
        }
        main={field === null ? 'passkey' : 'code'}
        passkeyFirst
        words={words}
      />
      <PostForm post={post} className="ways">
        {other !== null && (
          <a href={other}>{field === 'recovery code' ? t('factor.another_way') : t('factor.use_recovery')}</a>
        )}
        <button type="submit" name="cancel" value="1" className="button quiet">
          {t('frame.cancel')}
        </button>
      </PostForm>
      <Neither contact={view.api.contactUri} words={words} />
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
