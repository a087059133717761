// The steps of an explanation: which hold, and why one does not.
import { ownValue } from '#lib/kit/own-value.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import {
  InvalidClient,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  OAuthError,
  UnauthorizedClient,
  UnknownIssuer,
  UnmetAuthenticationRequirements,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';

/** In the order in which a request meets them. */
export type StepName =
  | 'auth_method'
  | 'client'
  | 'redirect_uri'
  | 'subscription'
  | 'machine'
  | 'grant'
  | 'subject_token'
  | 'scope'
  | 'person'
  | 'second_factor'
  | 'claim'
  | 'refresh'
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
  | 'device-asked'
  | 'trusted';

export type ExplainedStep = {
  step: StepName;
  ok: boolean;
  note?: Note;
  refusal?: Refusal;
};

/** What the client, or its developer, would be told; `reason`: as the inspector has it, `code`: on the wire. */
type Refusal = { code: string; reason: string | null; description: string };

/** As the token address has it (endpoints/token.ts). */
export function requireEnabled({ disabled }: Pick<SnapshotClient, 'disabled'>): void {
  if (disabled) throw new InvalidClient('The client is disabled.', { reason: 'client-disabled' });
}

/** The person would see a page, and the client would be told nothing. */
export class AnsweredByPage extends Error {
  override name = 'AnsweredByPage';
  readonly reason:
    | 'comes-first'
    | 'person-unknown'
    | 'person-disabled'
    | 'person-other-method'
    | 'refresh-none';
  constructor(reason: AnsweredByPage['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** A refusal of something that this step takes for granted. */
export class StepRefused extends Error {
  override name = 'StepRefused';
  readonly step: StepName;
  constructor(step: StepName, cause: unknown) {
    super(step, { cause });
    this.step = step;
  }
}

/** Which step a refusal is of; any other is of the client. */
const STEP_OF: readonly [kind: abstract new (...args: never[]) => Error, step: StepName][] = [
  [UnknownIssuer, 'auth_method'],
  [UnregisteredClientRefused, 'subscription'],
  [UnauthorizedClient, 'subscription'],
  [UnsupportedGrantType, 'grant'],
  [InvalidTarget, 'grant'],
  [InvalidScope, 'scope'],
  // the refresh token is good, and what it rests on is not
  [InvalidGrant, 'refresh'],
  [UnmetAuthenticationRequirements, 'second_factor'],
];

/** Reasons that tell more than the class of their error. */
const STEP_OF_REASON: Readonly<Record<string, StepName>> = {
  'comes-first': 'subscription',
  'profile-client': 'client',
  'no-redirect-uri': 'redirect_uri',
  'not-machine': 'machine',
  'machine-public': 'machine',
  'exchange-public': 'grant',
  'person-unknown': 'person',
  'person-disabled': 'person',
  'person-other-method': 'person',
  'person-refused': 'claim',
  'acr-too-low': 'second_factor',
  'refresh-none': 'refresh',
  'refresh-unknown': 'refresh',
  'refresh-used': 'refresh',
  'refresh-race': 'refresh',
  'refresh-ended': 'refresh',
  'refresh-expired': 'refresh',
  'refresh-other-issuer': 'refresh',
};

/** Throws what is no refusal. */
export function refusedStep(error: unknown): ExplainedStep {
  if (error instanceof StepRefused) return { ...refusedStep(error.cause), step: error.step };
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
