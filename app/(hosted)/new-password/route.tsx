import { HostedPage } from '#app/_components/frame.tsx';
import { Asker, Onward, postTo, Unusable } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert, Neither, NewPasswordForm, PostForm } from '#app/_components/sign-in-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { NEW_PASSWORD_SCRIPT } from '#app/_html/scripts.ts';
import { viewNewPassword } from '#lib/oauth/pages/second-step.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(NewPasswordPage, { personal: true });

async function NewPasswordPage({ query, cookie, frameFor }: Visit) {
  const view = await viewNewPassword({ interaction: query('interaction'), wrong: query('wrong'), cookie });
  const scripts = view.kind === 'ready' ? [NEW_PASSWORD_SCRIPT] : undefined;
  const frame = frameFor({ title: 'account.choose_password', view, scripts });
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;
  if (view.kind === 'onward') return <Onward {...view} frame={frame} />;

  const { label, alert, wrong, code, minLength } = view;
  const post = postTo('/new-password/submit', view);
  const cancel = (
    <button type="submit" name="cancel" value="1" formNoValidate className="button quiet">
      {t('frame.cancel')}
    </button>
  );
  return (
    <HostedPage frame={frame}>
      <Asker client={view.client} api={view.api} words={words} />
      <h1>{t('account.choose_password')}</h1>
      <p className="lead">
        <Sentence parts={words.parts('new_password.owed', { person: <Name>{label}</Name> })} />
      </p>
      <Alert message={alert && sentence(alert)} />
      {code === 'none-left' ? (
        <PostForm post={post}>
          <p className="alert">{t('new_password.by_passkey')}</p>
          {cancel}
        </PostForm>
      ) : (
        <NewPasswordForm {...{ post, label, code, minLength, wrong, words }}>{cancel}</NewPasswordForm>
      )}
      {code !== null && <Neither contact={view.api.contactUri} words={words} />}
    </HostedPage>
  );
}
