// The page "Why?" explains whether a client gets a token for an API, or names the step that rejects it. The input is
// a GET form, so the result has an address even without JavaScript.
import type { ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import type { ClientDetail } from '#lib/catalogue/clients/operations.ts';
import type { SubscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import { asSentence } from '#lib/language/message.ts';
import {
  type AccessExplanation,
  EXPLAINED_GRANTS,
  explainAccess,
  type StepTold,
} from '#lib/management/explanation.ts';
import { type Actor, mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { listPublishedApis, readPublishedApi } from '#lib/oauth/metadata.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { Check, Choice } from '../_kit/choices.tsx';
import { type Area, path } from '../_kit/console-form.ts';
import { TextField } from '../_kit/fields.tsx';
import { refusedInWords } from '../_kit/in-words.ts';
import { Callout, Empty, noCredential, Panel, Pill } from '../_kit/pieces.tsx';
import { SelectField } from '../_kit/select-field.tsx';
import type { Visit } from '../_kit/visit.tsx';
import { copyWords, currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { clientPath } from './client-kinds.ts';
import type { ObjectVisit } from './object-page.tsx';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

export type WhyAsked = {
  client: string;
  api: string;
  whose: string;
  email: string;
  method: string;
  scope: string;
  grant: (typeof EXPLAINED_GRANTS)[number];
  /** for a token exchange: the API of the token that the client submits */
  subjectApi: string;
  subjectClient: string;
  acts: boolean;
};

function whyAsked(query: Readonly<Record<string, string>>): WhyAsked {
  const { client = '', api = '', whose = 'me', email = '', method = '', scope = '' } = query;
  const { grant, subject_api: subjectApi = '', subject_client: subjectClient = '', acts } = query;
  return {
    client: client.trim(),
    api,
    whose,
    email: email.trim(),
    method,
    scope: scope.trim(),
    grant: EXPLAINED_GRANTS.find((name) => name === grant) ?? 'authorization_code',
    subjectApi,
    subjectClient: subjectClient.trim(),
    acts: acts === 'on',
  };
}

type QuestionProps = {
  path: string;
  asked: WhyAsked;
  /** field for the other object: the API on a client's page, the client on an API's page */
  children: ReactNode;
  methods: readonly (readonly [id: string, name: string])[];
  /** APIs whose tokens the client can exchange */
  apis: readonly (readonly [id: string, name: string])[];
  /** true: users can select other people */
  others: boolean;
  /** true: the page can predict tokens in the client's own name */
  own: boolean;
};

function WhyQuestion({ path, asked, children, methods, apis, others, own }: QuestionProps) {
  return (
    <Panel
      id="why"
      heading={say('Would the application get a token?')}
      lead={say(
        'Runs the checks of the authorize and token addresses by the same rules. No token is issued.',
      )}
    >
      <form action={`${path}#answer`} className="form">
        {children}
        <Choice
          name="whose"
          label={say('Whose token?')}
          value={asked.whose}
          options={[
            { value: 'me', label: say('My token'), note: say('You sign in to the application.') },
            ...(others
              ? [
                  {
                    value: 'person',
                    label: say('A person’s token'),
                    note: say('The audit log records your request.'),
                    below: (
                      <TextField
                        name="email"
                        label={say('Email, username or id')}
                        value={asked.email}
                        {...noCredential()}
                        optionalWord=""
                        optional
                      />
                    ),
                  },
                ]
              : []),
            ...(own
              ? [
                  {
                    value: 'client',
                    label: say('The application’s token'),
                    note: say('No one signs in (client_credentials).'),
                  },
                ]
              : []),
          ]}
        />
        <Grant asked={asked} apis={apis} />
        <SelectField
          name="method"
          label={say('Sign-in method')}
          value={asked.method}
          groups={[['', [['', say('The person’s first method')], ...methods]]]}
        />
        <TextField
          name="scope"
          label={say('Scope')}
          hint={say('As in the request, separated by spaces.')}
          value={asked.scope}
          {...noCredential()}
          code
          optional
          maxLength={2000}
        />
        <p>
          <button type="submit" className="button">
            {say('Explain')}
          </button>
        </p>
      </form>
    </Panel>
  );
}

function Grant({ asked, apis }: Pick<QuestionProps, 'asked' | 'apis'>) {
  return (
    <Choice
      name="grant"
      label={say('Request type')}
      hint={say('For a person’s token.')}
      value={asked.grant}
      options={[
        {
          value: 'authorization_code',
          label: say('After a sign-in'),
          note: say('The person is sent to a page (authorization_code).'),
        },
        {
          value: 'password',
          label: say('With the person’s password'),
          note: say('If the method checks passwords (password).'),
        },
        {
          value: 'refresh_token',
          label: say('With a refresh token'),
          note: say('The current refresh token of the person (refresh_token).'),
        },
        {
          value: DEVICE,
          label: say('With a code that the person enters'),
          note: say('A device without a browser (RFC 8628).'),
        },
        {
          value: EXCHANGE,
          label: say('With another token'),
          note: say('Token exchange (RFC 8693).'),
          below: (
            <>
              <SelectField
                name="subject_api"
                label={say('The API of that token')}
                value={asked.subjectApi}
                groups={[['', [['', say('The same API')], ...apis]]]}
              />
              <TextField
                name="subject_client"
                label={say('client_id of the token’s client')}
                hint={say('If empty, the same client.')}
                value={asked.subjectClient}
                {...noCredential()}
                code
                optional
              />
              <Check
                name="acts"
                label={say('The application acts for the person')}
                note={say('The application also sends its own token as the actor_token (delegation).')}
                checked={asked.acts}
              />
            </>
          ),
        },
      ]}
    />
  );
}

// Result of the page "Why?": each step, the remedy for a failed step, and the token.

/**
 * Shows the result. If the request is rejected, the page shows the rejection, so that users can correct the input.
 */
async function WhyAnswer({ actor, asked }: { actor: Actor; asked: WhyAsked }) {
  const { client, api, whose, email, method, scope, grant, subjectApi, subjectClient, acts } = asked;
  if (client === '' || api === '') return null;
  try {
    const input = {
      clientId: client,
      api,
      ...(whose === 'me' && { mine: true }),
      ...(whose === 'person' && { email }),
      ...(method !== '' && { authMethod: method }),
      ...(scope !== '' && { scope }),
      ...(whose !== 'client' && { grantType: grant, asActor: acts }),
      ...(subjectApi !== '' && { subjectApi }),
      ...(subjectClient !== '' && { subjectClientId: subjectClient }),
    };
    return <Answer {...(await explainAccess(actor, input))} />;
  } catch (error) {
    if (error instanceof Refused)
      return <Callout landing="answer">{refusedInWords(currentWords(), error)}</Callout>;
    throw error;
  }
}

const STEPS = new Map(
  Object.entries(
    toSay({
      auth_method: 'Sign-in method',
      client: 'Application',
      redirect_uri: 'Redirect address',
      subscription: 'Subscription',
      machine: 'Machine tokens',
      scope: 'Scope',
      person: 'Person',
      second_factor: 'Second factor',
      grant: 'Type of request',
      subject_token: 'Token to exchange',
      refresh: 'Refresh token',
      claim: 'For this person',
      consent: 'Consent',
    }),
  ),
);

/** Describes the reason in the reader's language. Error messages that the client receives stay in English. */
function reasonWords([sentence, description]: NonNullable<StepTold['reason']>): string {
  const { language, told } = currentWords();
  const text = told(sentence);
  if (description === undefined) return text;
  return language === 'en' ? `${asSentence(text)} ${description}` : `${text}: ${description}`;
}

function Answer({ steps, token, authMethodId }: AccessExplanation) {
  return (
    <Panel
      id="answer"
      landing
      heading={
        token ? say('Yes, the application would get a token') : say('No, the request would be rejected')
      }
      lead={authMethodId !== null && say('With the sign-in method {method}.', { method: authMethodId })}
      {...(!token && { tone: 'danger' })}
    >
      <ol className="list" aria-label={say('Steps')}>
        {steps.map(({ step, ok, reason, change }) => (
          <li key={step} className="row">
            <div className="row-text">
              <p className="row-title">
                <span>{say(STEPS.get(step) ?? step)}</span>
                {ok ? <Pill tone="good">{say('passes')}</Pill> : <Pill tone="refused">{say('rejects')}</Pill>}
              </p>
              {reason && <p className={ok ? 'soft' : 'explanation'}>{reasonWords(reason)}</p>}
              {change && <p>{currentWords().told(change)}</p>}
            </div>
          </li>
        ))}
      </ol>
      {token && (
        <CodeBlock
          label={say('The token would contain')}
          code={JSON.stringify(token, null, 2)}
          said={copyWords(say('The token would contain'))}
        />
      )}
    </Panel>
  );
}

// The pages "Why?" of a client and of an API: whether the client gets a token, or the step that rejects it.

export async function renderClientWhy(
  { clientId, kind }: ClientDetail,
  { area, actor, query }: ObjectVisit,
): Promise<ReactNode> {
  const apis = await listPublishedApis();
  const question = whyAsked({ ...query, client: clientId });
  if (apis.length === 0)
    return (
      <Empty heading={say('No API has been published yet')}>
        <p>
          {say(
            'After an API is published, this page shows whether the application would get a token for it.',
          )}
        </p>
      </Empty>
    );
  const methods = new Map(apis.flatMap((api) => api.issuers.map(({ method }) => [method.id, method.name])));
  return (
    <>
      <WhyQuestion
        path={clientPath(area, clientId, 'why')}
        {...{ asked: question, methods: [...methods] }}
        apis={apis.map(({ id, name }) => [id, name])}
        others={mayDo(actor, 'people.read')}
        own={kind === 'confidential'}
      >
        <SelectField
          name="api"
          label={say('API')}
          value={question.api || (apis[0]?.id ?? '')}
          groups={[['', apis.map(({ id, name }) => [id, name] as const)]]}
        />
      </WhyQuestion>
      <WhyAnswer {...{ actor, asked: question }} />
    </>
  );
}

/** Maximum number of subscriptions for a list of clients. With more subscriptions, users type the client. */
const MOST_OFFERED = 200;

/** For approvers: lists which clients would get a token. */
export async function renderApiWhy({ id: api }: { id: string }, { actor, query }: Visit): Promise<ReactNode> {
  const { rows, next } = await pageSubscriptions(actor, { api, order: 'name', limit: MOST_OFFERED });
  const issuers = (await readPublishedApi(api))?.issuers ?? [];
  const published = await listPublishedApis();
  const question = whyAsked({ ...query, api });
  if (rows.length === 0)
    return (
      <Empty heading={say('No subscriptions yet')}>
        <p>{say('Subscriptions appear on this page when developers request them in the API catalogue.')}</p>
      </Empty>
    );
  return (
    <>
      <WhyQuestion
        path={path('admin', 'apis', api, 'why')}
        asked={question}
        methods={issuers.map(({ method }) => [method.id, method.name])}
        apis={published.map(({ id, name }) => [id, name])}
        others={mayDo(actor, 'people.read')}
        own
      >
        <ClientField rows={rows} isAll={next === null} value={question.client} />
      </WhyQuestion>
      <WhyAnswer {...{ actor, asked: question }} />
    </>
  );
}

function ClientField({ rows, isAll, value }: { rows: SubscriptionRow[]; isAll: boolean; value: string }) {
  const label = say('Application');
  const options = rows.map(({ clientId, clientName }) => [clientId, plainText(clientName)] as const);
  if (isAll)
    return (
      <SelectField
        name="client"
        value={value || (options[0]?.[0] ?? '')}
        groups={[['', options]]}
        {...{ label }}
      />
    );
  return (
    <TextField
      name="client"
      {...noCredential()}
      hint={say('The client_id of one of the API’s subscriptions.')}
      suggestions={options.map(([id, name]) => ({ value: id, label: name }))}
      code
      {...{ label, value }}
    />
  );
}
