import { ownName } from '#app/_components/frame.tsx';
import { Form } from '#app/(console)/_kit/form.tsx';
import { LiveForm } from '#app/(console)/_kit/live-form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout, Fact, Facts, noCredential, Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { ApiRow } from '#lib/catalogue/apis/definition.ts';
import { pageApis } from '#lib/catalogue/apis/operations.ts';
import {
  listMailPreviews,
  type MailPreview,
  type MailPreviewAsked,
  previewMail,
} from '#lib/management/mail-previews.ts';
import { mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { askedIn } from './forms.ts';

export const generateMetadata = pageTitle('Mails');

type Listed = Awaited<ReturnType<typeof listMailPreviews>>[number];

const READERS: Readonly<Record<Listed['to'], string>> = toSay({
  visitor: 'People who come from an application',
  person: 'People with an account',
  developer: 'Developers',
  decider: 'Approvers and administrators',
  administrator: 'Administrators',
});

export default consolePage('/admin/mails', async ({ actor, query, form }) => {
  const { asked, given } = askedIn((name) => query[name]);
  const mails = await listMailPreviews(actor, { language: asked.language });
  const { rows: apis } = await pageApis(actor, { limit: 200 });
  const mailPreview = await previewMail(actor, asked).catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
  const reader = mails.find(({ name }) => name === asked.mail)?.to ?? 'person';
  return (
    <>
      <Title lead={say('All mails that the service sends, as recipients see them, with sample values.')}>
        {say('Mails')}
      </Title>
      <Choice asked={asked} mails={mails} apis={apis} />
      {mailPreview === null ? (
        <Callout tone="refused">
          <p>{say('This mail, API or client does not exist. Choose another one.')}</p>
        </Callout>
      ) : (
        <Shown mail={mailPreview} reader={reader} language={asked.language} given={given} />
      )}
      {mailPreview !== null && mayDo(actor, 'registry.manage') && actor.email !== null && (
        <Panel
          id="send"
          heading={say('Send to me')}
          lead={say('To {email}, with the same sample values. Its links and codes do not work.', {
            email: actor.email,
          })}
        >
          <Form {...(await form('mail-send'))} fields={given} submit={say('Send to me')} tone="plain" />
        </Panel>
      )}
    </>
  );
});

function Choice({ asked, mails, apis }: { asked: MailPreviewAsked; mails: Listed[]; apis: ApiRow[] }) {
  const { language } = asked;
  return (
    <search>
      <LiveForm action="/admin/mails" className="filters beside">
        <label className="entry">
          <span>{say('Mail')}</span>
          <select name="mail" defaultValue={asked.mail}>
            {Object.entries(READERS).map(([to, label]) => (
              <optgroup key={to} label={say(label)}>
                {mails
                  .filter((mail) => mail.to === to)
                  .map(({ name, subject }) => (
                    <option key={name} value={name} lang={language}>
                      {subject}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <label className="entry">
          <span>{say('Language')}</span>
          <select name="in" defaultValue={language}>
            {LANGUAGES.map((tag) => (
              <option key={tag} value={tag} lang={tag}>
                {ownName(tag)}
              </option>
            ))}
          </select>
        </label>
        <label className="entry">
          <span>{say('API')}</span>
          <select name="api" defaultValue={asked.apiId}>
            <option value="">{say('None')}</option>
            {apis.map(({ id, name }) => (
              <option key={id} value={id}>
                {plainText(name)}
              </option>
            ))}
          </select>
        </label>
        <label className="entry">
          <span>{say('Client id')}</span>
          <input
            name="client"
            defaultValue={asked.clientId}
            maxLength={2000}
            {...noCredential()}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        </label>
        <div className="form-actions">
          <button type="submit" className="button plain small">
            {say('Show')}
          </button>
        </div>
      </LiveForm>
    </search>
  );
}

type ShownProps = {
  mail: MailPreview;
  reader: Listed['to'];
  language: string;
  given: Record<string, string>;
};

function Shown({ mail: { subject, text }, reader, language, given }: ShownProps) {
  return (
    <>
      <Panel
        id="mail"
        heading={say('As sent')}
        lead={
          reader === 'visitor'
            ? say(
                'The mail has the brand of the application that the recipient came from, if that application has a brand and is approved for the API. Otherwise the mail has the API’s brand.',
              )
            : say(
                'The mail has the service’s own name and colour, because the recipient did not come from an application.',
              )
        }
      >
        <Facts>
          <Fact name={say('To')}>{say(READERS[reader])}</Fact>
          <Fact name={say('Subject')}>
            <bdi lang={language}>{subject}</bdi>
          </Fact>
        </Facts>
        <iframe
          key={JSON.stringify(given)}
          className="mail-preview"
          title={say('HTML version')}
          src={withQuery('/admin/preview/mail', given)}
        />
      </Panel>
      <Panel
        id="text"
        heading={say('Plain-text version')}
        lead={say('For mail programs that do not show HTML. The content is the same.')}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the text */}
        <pre className="mail-text" lang={language} dir="auto" tabIndex={0}>
          {text}
        </pre>
      </Panel>
    </>
  );
}
