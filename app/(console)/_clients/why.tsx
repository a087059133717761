// "Why?": would this client get a token, and if not, which step refuses it? The form is a GET, so that the answer has
// an address and needs no script.

import { CodeBlock } from '#app/_components/code-block.tsx';
import { asSentence } from '#lib/language/index.ts';
import {
  type AccessExplanation,
  explainAccess,
  mayDo,
  Refused,
  type StepTold,
} from '#lib/management/index.ts';
import { listPublishedApis, type PublishedApi } from '#lib/oauth/index.ts';
import type { Area } from '../_forms/form.ts';
import { refusedInWords } from '../_forms/in-words.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { Callout, Empty, Panel, Pill } from '../_ui/pieces.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

type Asked = { api: string; whose: string; email: string; method: string; scope: string };

export function whyPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props, below: 'why' }, async ({ actor, query, client }) => {
    const { clientId } = client;
    const apis = await listPublishedApis();
    const { api = '', whose = 'me', email = '', method = '', scope = '' } = query;
    const asked: Asked = { api, whose, email: email.trim(), method, scope: scope.trim() };
    if (apis.length === 0)
      return (
        <Empty heading={say('There is no API yet')}>
          <p>
            {say('Once one is published, this page says whether the application would get a token for it.')}
          </p>
        </Empty>
      );
    const answer = api === '' ? null : await answerOf(() => explainAccess(actor, inputOf(clientId, asked)));
    return (
      <>
        <Panel
          id="why"
          heading={say('Would it get a token?')}
          lead={say(
            'The steps that the authorize and token addresses take, by the same rules. Nothing is given.',
          )}
        >
          <Question
            path={clientPath(area, clientId, 'why')}
            {...{ apis, asked, others: mayDo(actor, 'people.read'), own: client.kind === 'confidential' }}
          />
        </Panel>
        {typeof answer === 'string' && <Callout>{answer}</Callout>}
        {answer !== null && typeof answer !== 'string' && <Answer {...answer} />}
      </>
    );
  });
}

function inputOf(clientId: string, { api, whose, email, method, scope }: Asked) {
  return {
    clientId,
    api,
    ...(whose === 'me' && { mine: true }),
    ...(whose === 'person' && { email }),
    ...(method !== '' && { authMethod: method }),
    ...(scope !== '' && { scope }),
  };
}

/** A refusal is said on the page, where it can be asked again. */
async function answerOf(work: () => Promise<AccessExplanation>): Promise<AccessExplanation | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return refusedInWords(spoken(), error);
    throw error;
  }
}

type QuestionProps = { path: string; apis: PublishedApi[]; asked: Asked; others: boolean; own: boolean };

function Question({ path, apis, asked, others, own }: QuestionProps) {
  const methods = new Map(apis.flatMap((api) => api.issuers.map(({ method }) => [method.id, method.name])));
  return (
    <form action={path} className="form">
      <Select
        name="api"
        label={say('API')}
        value={asked.api}
        options={apis.map(({ id, name }) => [id, name] as const)}
      />
      <Choice
        name="whose"
        label={say('Whose token?')}
        value={asked.whose}
        options={[
          { value: 'me', label: say('Mine'), note: say('You sign in to the application.') },
          ...(others
            ? [
                {
                  value: 'person',
                  label: say('A person’s'),
                  note: say('The audit log has that you asked.'),
                  below: (
                    <TextField
                      name="email"
                      label={say('E-mail')}
                      type="email"
                      value={asked.email}
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
                  label: say('The application’s own'),
                  note: say('Nobody signs in (client_credentials).'),
                },
              ]
            : []),
        ]}
      />
      <Select
        name="method"
        label={say('Sign-in method')}
        value={asked.method}
        options={[['', say('The first that they have')] as const, ...methods]}
      />
      <TextField
        name="scope"
        label={say('Scope')}
        hint={say('As the request has it, with spaces between.')}
        value={asked.scope}
        code
        optional
        maxLength={2000}
      />
      <p>
        <button type="submit" className="button">
          {say('Say why')}
        </button>
      </p>
    </form>
  );
}

type SelectProps = {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
};

function Select({ name, label, value, options }: SelectProps) {
  return (
    <div className="entry">
      <label htmlFor={`why-${name}`}>{label}</label>
      <select id={`why-${name}`} name={name} defaultValue={value}>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const STEPS = new Map(
  Object.entries(
    toSay({
      auth_method: 'Sign-in method',
      client: 'Application',
      redirect_uri: 'Redirect address',
      subscription: 'Subscription',
      machine: 'Tokens of its own',
      scope: 'Scope',
      person: 'Person',
      second_factor: 'Second factor',
      claim: 'For this person',
      consent: 'Consent',
    }),
  ),
);

/** What the client would be told is English. */
function reasonWords([sentence, description]: NonNullable<StepTold['reason']>): string {
  const { language, told } = spoken();
  const text = told(sentence);
  if (description === undefined) return text;
  return language === 'en' ? `${asSentence(text)} ${description}` : `${text}: ${description}`;
}

function Answer({ steps, token, authMethodId }: AccessExplanation) {
  return (
    <Panel
      id="answer"
      heading={token ? say('Yes, it would get a token') : say('No, it would be refused')}
      lead={authMethodId !== null && say('By the sign-in method {method}.', { method: authMethodId })}
      {...(!token && { tone: 'danger' })}
    >
      <ol className="list" aria-label={say('Steps')}>
        {steps.map(({ step, ok, reason, change }) => (
          <li key={step} className="row">
            <div className="row-text">
              <p className="row-title">
                <span>{say(STEPS.get(step) ?? step)}</span>
                {ok ? <Pill tone="good">{say('holds')}</Pill> : <Pill tone="refused">{say('refuses')}</Pill>}
              </p>
              {reason && <p className={ok ? 'soft' : 'explanation'}>{reasonWords(reason)}</p>}
              {change && <p>{spoken().told(change)}</p>}
            </div>
          </li>
        ))}
      </ol>
      {token && <CodeBlock label={say('The token would hold')} code={JSON.stringify(token, null, 2)} />}
    </Panel>
  );
}
