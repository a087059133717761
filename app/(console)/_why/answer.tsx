// The answer to "Why?": each step, what to change where one does not hold, and the token.

import { CodeBlock } from '#app/_components/code-block.tsx';
import { asSentence } from '#lib/language/message.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { type AccessExplanation, explainAccess } from '#lib/management/service/explanation.ts';
import type { StepTold } from '#lib/management/service/explanation-words.ts';
import { refusedInWords } from '../_forms/in-words.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { copyWords } from '../_ui/copy-words.ts';
import { Callout, Panel, Pill } from '../_ui/pieces.tsx';
import type { WhyAsked } from './question.tsx';

/** A refusal is said on the page, where it can be asked again. */
export async function WhyAnswer({ actor, asked }: { actor: Actor; asked: WhyAsked }) {
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
      return <Callout landing="answer">{refusedInWords(spoken(), error)}</Callout>;
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
      machine: 'Tokens of its own',
      scope: 'Scope',
      person: 'Person',
      second_factor: 'Second factor',
      grant: 'Way of asking',
      subject_token: 'Token to exchange',
      refresh: 'Refresh token',
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
      landing
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
      {token && (
        <CodeBlock
          label={say('The token would hold')}
          code={JSON.stringify(token, null, 2)}
          said={copyWords(say('The token would hold'))}
        />
      )}
    </Panel>
  );
}
