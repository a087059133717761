// What each step of an explanation says: why it does not hold and what to change. The inspector's words, where it has
// some.
import { ownValue } from '#lib/kit/own-value.ts';
import { asSentence, type EnglishSentence } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { ExplainedStep, Note } from '#lib/oauth/explanation/steps.ts';
import { refusalWords } from './inspector-words.ts';

export const STEP_NOTES: Record<Note, string> = {
  'approved-by-rule': 'A rule of the API approves it when the person comes.',
  'factor-asked': 'The person is asked for their second factor.',
  'factor-required': 'The person is asked to set up a second factor first.',
  'factor-grace': 'The person is asked to set up a second factor, and may still do it later.',
  'factor-offer': 'The person is offered a second factor, and may say no.',
  'consent-asked': 'The person is asked whether they allow it.',
  'consent-given': 'The person has allowed it before.',
  'device-asked': 'The person is asked about the device each time.',
  trusted: 'The subscription is trusted, so the person is not asked.',
};

export const STEP_REASONS: Readonly<Record<string, [reason: string, change: string]>> = {
  'client-disabled': ['The client is disabled.', 'Its owner or an administrator can enable it.'],
  'no-redirect-uri': [
    'The client has no redirect address to answer to.',
    'Add its redirect address. An API that requires redirect_uri wants it in each request, too.',
  ],
  'comes-first': [
    'This client is not registered here, and waits for approval.',
    'The person signs in once with it, which asks for approval; then an approver decides.',
  ],
  'person-unknown': [
    'Nobody with this address has signed in here.',
    'Look at the spelling. Create or invite the person, or let them sign in once.',
  ],
  'refresh-none': [
    'The client has no refresh token of this person.',
    'The person signs in once with it. A browser client never gets one.',
  ],
  'person-disabled': ['The person is disabled.', 'An administrator can enable them.'],
  'person-other-method': [
    'The person does not sign in by this method.',
    'Name the method that they use, or let them add this one on their account page.',
  ],
};

export const STEP_FAULTS: Partial<Record<ExplainedStep['step'], [reason: string, change: string]>> = {
  auth_method: [
    'The API has no such sign-in method.',
    'Add the method to the API, or ask with one that it has.',
  ],
  grant: [
    'This grant is not to be had here.',
    'Ask in another way: the method, the API or its profile do not offer this one.',
  ],
  refresh: [
    'Nothing of its scope is allowed any more.',
    'The person signs in again, which asks for what is allowed now.',
  ],
  subject_token: [
    'The token that is exchanged would not be given.',
    'Ask about that one first: its client, and its API.',
  ],
  scope: ['The scope is not allowed.', 'Ask for scopes that the API has and the subscription allows.'],
  second_factor: [
    'The sign-in cannot be as strong as the API asks for.',
    'Allow second factors at the method or the API, or use a method that signs people in that strongly.',
  ],
  subscription: ['The subscription does not allow it.', 'Ask an approver of the API.'],
};

export type StepTold = {
  step: string;
  ok: boolean;
  /** why it does not hold, or what it asks of the person; then what the client would be told, in its own words */
  reason?: [EnglishSentence, description?: string];
  /** what would make it hold */
  change?: EnglishSentence;
};

export function stepWords({ step, ok, note, refusal }: ExplainedStep): StepTold {
  if (ok) return { step, ok, ...(note && { reason: [{ text: STEP_NOTES[note] }] }) };
  const { code = '', reason = null, description = '' } = refusal ?? {};
  const own = ownValue(STEP_REASONS, reason ?? '');
  const [title, change] = own ??
    (reason === null ? null : refusalWords(code, reason)) ??
    ownValue(STEP_FAULTS, step) ?? [description, null];
  // what the client would be told has the names that came with it
  const isSaid = own || description === '' || description === title;
  const told: StepTold['reason'] = isSaid ? [{ text: title }] : [{ text: title }, description];
  return { step, ok, reason: told, ...(change && { change: { text: change } }) };
}

/** The same for programs. */
export function stepInEnglish({ reason, change, ...step }: StepTold): StepInEnglish {
  const [title, description] = reason ?? [];
  const text = title && inEnglish(title);
  return {
    ...step,
    ...(text !== undefined && {
      reason: description === undefined ? text : `${asSentence(text)} ${description}`,
    }),
    ...(change && { change: inEnglish(change) }),
  };
}
type StepInEnglish = Pick<StepTold, 'step' | 'ok'> & { reason?: string; change?: string };
