import { HostedPage } from '#app/_components/frame.tsx';
import { Asker, Onward, postTo, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import {
  Alert,
  CodeForm,
  PasskeyButton,
  PasskeyForm,
  PostForm,
  TotpSecret,
} from '#app/_components/sign-in-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { PASSKEY_SCRIPT } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { viewSetUp } from '#lib/oauth/pages/second-step.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(SetUpPage, { personal: true });

async function SetUpPage({ query, cookie, frameFor }: Visit) {
  const view = await viewSetUp({ interaction: query('interaction'), cookie });
  const scripts = view.kind === 'ready' ? [PASSKEY_SCRIPT] : undefined;
  const frame = frameFor({ title: 'factor.set_up', view, scripts });
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, offer, passkey, totp, later } = view;
  const leave = postTo('/set-up/submit', view);
  // the form of the passkey, too, so that the page after a rejected passkey shows the same secret
  const post = totp ? postTo('/set-up/submit', view, { pending: totp.sealed }) : leave;
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('factor.set_up')}</h1>
      <p className="lead">
        {t(offer ? 'factor.offer' : 'factor.needed')}{' '}
        <Sentence parts={words.parts('factor.for_whom', { person: <Name>{label}</Name> })} />
      </p>
      <Alert message={alert && sentence(alert)} />
      <PasskeyForm kind="create" post={post} asked={passkey} words={words}>
        <h2 className="part">{t('factor.passkey')}</h2>
        <p className="soft">{t('factor.passkey_hint')}</p>
        <PasskeyButton>{t('factor.use_passkey')}</PasskeyButton>
      </PasskeyForm>
      {totp === null ? (
        <noscript>
          <p className="note">{t('factor.passkey_needs_script')}</p>
        </noscript>
      ) : (
        <CodeForm
          post={post}
          above={
            <>
              <h2 className="part">{t('factor.app')}</h2>
              <TotpSecret {...totp} lead={t('factor.app_hint')} words={words} />
            </>
          }
          kind="app"
          label={t('frame.code')}
          wrong={view.wrong}
          go={t('frame.continue')}
        />
      )}
      <PostForm post={leave} className="ways">
        {later !== null && (
          <button type="submit" name="later" value="1" className="button plain">
            {t('factor.later')}
          </button>
        )}
        <button type="submit" name="cancel" value="1" className="button quiet">
          {t('frame.cancel')}
        </button>
      </PostForm>
      {later?.until && (
        <p className="note">
          <Sentence
            parts={words.parts('factor.wait_until', { day: <Day of={later.until} words={words} /> })}
          />
        </p>
      )}
    </HostedPage>
  );
}

/** Shows the date in UTC. English pages use the same date format as the console. */
function Day({ of: date, words: { language } }: { of: Date; words: Words }) {
  const dateText = date.toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return <time dateTime={date.toISOString()}>{dateText}</time>;
}
