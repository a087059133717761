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
  refusal?: Refusal;
};

/** What the client, or its developer, would be told; `reason`: as the inspector has it, `code`: on the wire. */
type Refusal = { code: string; reason: string | null; description: string };

/** The person would see a page, and the client would be told nothing. */
export class AnsweredByPage extends Error {
  override name = 'AnsweredByPage';
  readonly reason: 'comes-first' | 'person-unknown' | 'person-disabled' | 'person-other-method';
  constructor(reason: AnsweredByPage['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** Which step a refusal is of; any other is of the client. */
const STEP_OF: readonly [kind: abstract new (...args: never[]) => Error, step: StepName][] = [
  [UnknownIssuer, 'auth_method'],
  [UnregisteredClientRefused, 'subscription'],
  [UnauthorizedClient, 'subscription'],
  [InvalidScope, 'scope'],
  [UnmetAuthenticationRequirements, 'second_factor'],
];

/** Reasons that tell more than the class of their error. */
const STEP_OF_REASON: Readonly<Record<string, StepName>> = {
  'comes-first': 'subscription',
  'no-redirect-uri': 'redirect_uri',
  'not-machine': 'machine',
  'machine-public': 'machine',
  'person-unknown': 'person',
  'person-disabled': 'person',
  'person-other-method': 'person',
  'person-refused': 'claim',
};

/** Throws what is no refusal. */
export function refusedStep(error: unknown): ExplainedStep {
  const refusal = refusalOf(error);
  const byClass = STEP_OF.find(([kind]) => error instanceof kind)?.[1];
  const step = ownValue(STEP_OF_REASON, refusal.reason ?? '') ?? byClass ?? 'client';
  return { step, ok: false, refusal };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof OAuthError) {
    const { code, reason, message: description } = error;
    return { code, reason, description };
  }
  if (error instanceof UnidentifiedRequest) {
    const reason = error.told === 'errors.no_return' ? 'no-redirect-uri' : 'client-disabled';
    const description = error.forDeveloper ?? wordsOf('en').told(error.told);
    return { code: 'invalid_request', reason, description };
  }
  if (error instanceof UnknownIssuer) return { code: 'not_found', reason: null, description: '' };
  if (error instanceof UnregisteredClientRefused)
    return { code: 'access_denied', reason: null, description: error.forDeveloper };
  if (error instanceof AnsweredByPage)
    return { code: 'access_denied', reason: error.reason, description: '' };
  throw error;
}
