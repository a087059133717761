// The steps of an explanation: which hold, and why one does not.
import { ownValue } from '#lib/kit/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import {
  InvalidScope,
  OAuthError,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnmetAuthenticationRequirements,
} from '../errors/index.ts';
import { UnregisteredClientRefused } from '../unregistered/index.ts';

/** In the order in which a request meets them. */
export type StepName =
  | 'auth_method'
  | 'client'
  | 'redirect_uri'
  | 'subscription'
  | 'machine'
  | 'scope'
  | 'person'
  | 'second_factor'
  | 'claim'
  | 'consent';

/** What a step that holds asks of the person, or why it asks nothing. */
export type Note =
  | 'approved-by-rule'
  | 'factor-asked'
  | 'factor-required'
  | 'factor-grace'
  | 'factor-offer'
  | 'consent-asked'
  | 'consent-given'
  | 'trusted';

export type ExplainedStep = {
  step: StepName;
  ok: boolean;
  note?: Note;
  /** what the client, or its developer, would be told; `reason`: as the inspector has it, `code`: on the wire */
  refusal?: { code: string; reason: string | null; description: string };
};

/** Which step a refusal is of, where it is not the one that was reached. */
const STEP_OF: readonly [kind: abstract new (...args: never[]) => Error, step: StepName][] = [
  [UnregisteredClientRefused, 'subscription'],
  [InvalidScope, 'scope'],
  [UnmetAuthenticationRequirements, 'second_factor'],
];

/** Reasons that tell more than the class of their error. */
const STEP_OF_REASON: Readonly<Record<string, StepName>> = {
  'not-machine': 'machine',
  'machine-public': 'machine',
  'person-refused': 'claim',
};

/** A step that no error stands for: the person would see a page. */
export const refusedHere = (
  step: StepName,
  reason: 'comes-first' | 'person-unknown' | 'person-disabled' | 'person-other-method',
): ExplainedStep => ({ step, ok: false, refusal: { code: 'access_denied', reason, description: '' } });

/** Throws what is no refusal. The steps before it hold: a request would have met them before. */
export function refusedStep(reached: StepName, error: unknown): ExplainedStep {
  const step = (named: StepName, refusal: NonNullable<ExplainedStep['refusal']>): ExplainedStep => ({
    step: named,
    ok: false,
    refusal,
  });
  const known = STEP_OF.find(([kind]) => error instanceof kind)?.[1];
  if (error instanceof OAuthError) {
    const { code, reason, message: description } = error;
    const named = ownValue(STEP_OF_REASON, reason ?? '') ?? known;
    const byClass = error instanceof UnauthorizedClient ? 'subscription' : reached;
    return step(named ?? byClass, { code, reason, description });
  }
  if (error instanceof UnidentifiedRequest) {
    const isReturn = error.told === 'errors.no_return';
    const description = error.forDeveloper ?? wordsOf('en').told(error.told);
    const reason = isReturn ? 'no-redirect-uri' : 'client-disabled';
    return step(isReturn ? 'redirect_uri' : 'client', { code: 'invalid_request', reason, description });
  }
  if (error instanceof UnknownIssuer)
    return step('auth_method', { code: 'not_found', reason: null, description: '' });
  if (error instanceof UnregisteredClientRefused)
    return step(known ?? reached, {
      code: 'access_denied',
      reason: null,
      description: error.forDeveloper,
    });
  throw error;
}
