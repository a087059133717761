// Tells a person that their client is refused. It is a page and no redirect: the client could only show the code of an
// error, and the person is the one who can act.
import type { Plain } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { SubscriptionState } from '#lib/registry/objects/subscription-states.ts';

/** `heading` and `told` are for the person; both name no other person's data. */
export class UnregisteredClientRefused extends Error {
  override name = 'UnregisteredClientRefused';
  readonly heading: Plain;
  readonly told: Plain;
  readonly forDeveloper: string;
  constructor(why: Refusal) {
    super(wordsOf('en').t(WORDS[why].message));
    this.told = WORDS[why].message;
    this.heading = WORDS[why].heading;
    this.forDeveloper = WORDS[why].forDeveloper;
  }
}

type Refusal =
  | Exclude<SubscriptionState, 'pending' | 'approved'>
  | 'blocked'
  | 'not-listed'
  | 'full-person'
  | 'full-today'
  | 'full-host'
  | 'full-api';

type Words = { heading: Plain; message: Plain; forDeveloper: string };

const MANY = 'agent.many';
const WORDS: Record<Refusal, Words> = {
  rejected: {
    heading: 'agent.not_approved',
    message: 'agent.not_approved_lead',
    forDeveloper: 'The subscription of this client to the API was rejected.',
  },
  suspended: {
    heading: 'agent.suspended',
    message: 'agent.suspended_lead',
    forDeveloper: 'The subscription of this client to the API is suspended.',
  },
  revoked: {
    heading: 'agent.revoked',
    message: 'agent.revoked_lead',
    forDeveloper: 'The subscription of this client to the API was revoked.',
  },
  blocked: {
    heading: 'agent.blocked',
    message: 'agent.blocked_lead',
    forDeveloper: 'This client is blocked, at every API.',
  },
  'not-listed': {
    heading: 'agent.not_listed',
    message: 'agent.not_listed_lead',
    forDeveloper: 'The host of client_id is not one of those that the API lists (agent_hosts).',
  },
  'full-person': {
    heading: MANY,
    message: 'agent.full_person',
    forDeveloper: 'This person has as many pending requests as one person may have.',
  },
  'full-today': {
    heading: MANY,
    message: 'agent.full_day',
    forDeveloper: 'This person has come with as many new clients as one person may in a day.',
  },
  'full-host': {
    heading: MANY,
    message: 'agent.full_host',
    forDeveloper: 'As many clients of this host wait at this API as may.',
  },
  'full-api': {
    heading: MANY,
    message: 'agent.full',
    forDeveloper: 'As many clients wait at this API as may.',
  },
};
