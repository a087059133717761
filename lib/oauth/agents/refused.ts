// What a person reads whose agent may not go on. It is a page and no redirect: the client could only show the code of an error,
// and the person is who can do something about it.
import type { SubscriptionState } from '#lib/registry/index.ts';

/** `heading` and `message` are for the person; both name no other person's data. */
export class AgentRefused extends Error {
  override name = 'AgentRefused';
  readonly heading: string;
  readonly forDeveloper: string;
  constructor(why: AgentRefusal) {
    super(WORDS[why].message);
    this.heading = WORDS[why].heading;
    this.forDeveloper = WORDS[why].forDeveloper;
  }
}

type AgentRefusal =
  | Exclude<SubscriptionState, 'pending' | 'approved'>
  | 'blocked'
  | 'not-listed'
  | 'full-person'
  | 'full-today'
  | 'full-host'
  | 'full-api';

type Words = { heading: string; message: string; forDeveloper: string };

const MANY = 'Too many requests wait';
const WORDS: Record<AgentRefusal, Words> = {
  rejected: {
    heading: 'This application was not approved',
    message:
      'Whoever looks after this service decided against it. Ask them if you think that it should be used here.',
    forDeveloper: 'The subscription of this client to the API was rejected.',
  },
  suspended: {
    heading: 'This application is suspended',
    message:
      'It may not be used here for the time being. Try again later, or ask whoever looks after this service.',
    forDeveloper: 'The subscription of this client to the API is suspended.',
  },
  revoked: {
    heading: 'This application may no longer be used',
    message: 'Its approval was taken back. Ask whoever looks after this service if you need it.',
    forDeveloper: 'The subscription of this client to the API was revoked.',
  },
  blocked: {
    heading: 'This application is blocked',
    message: 'Whoever looks after this service has blocked it. Nothing was shared with it.',
    forDeveloper: 'This client is blocked, at every API.',
  },
  'not-listed': {
    heading: 'This application can not be used here',
    message:
      'Only applications of certain hosts may ask for access to this service, and this one is not among them. Nobody was asked, and nothing was shared.',
    forDeveloper: 'The host of client_id is not one of those that the API lists (agent_hosts).',
  },
  'full-person': {
    heading: MANY,
    message:
      'You have asked for several applications already that nobody has decided on. Wait for those first.',
    forDeveloper: 'This person has as many pending requests as one person may have.',
  },
  'full-today': {
    heading: MANY,
    message: 'You have asked for many applications today. Try again tomorrow.',
    forDeveloper: 'This person has come with as many new clients as one person may in a day.',
  },
  'full-host': {
    heading: MANY,
    message:
      'Several applications of the same host wait for a decision already. Try again when some are decided.',
    forDeveloper: 'As many clients of this host wait at this API as may.',
  },
  'full-api': {
    heading: MANY,
    message: 'Many applications wait for a decision already. Try again when some are decided.',
    forDeveloper: 'As many clients wait at this API as may.',
  },
};
