// Shows the usage page to administrators. Shows the inbox to approvers, and to users who follow the link to a request
// in a mail.

import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { type Actor, mayDo } from '#lib/management/policy.ts';
import { INBOX } from '../_kit/subscription-words.ts';
import { consolePage } from '../_kit/visit.tsx';
import { Inbox } from '../_subjects/inbox.tsx';
import { Operations } from '../_subjects/usage.tsx';

export const generateMetadata = pageTitle('Administration');

const runsIt = (actor: Actor) => mayDo(actor, 'audit.read');
const here = (actor: Actor) => (runsIt(actor) ? '/admin' : INBOX);

export default consolePage({ path: '/admin', here }, (visited) => {
  const { actor, query } = visited;
  return !runsIt(actor) || query['client'] !== undefined ? Inbox(visited) : Operations(visited);
});
