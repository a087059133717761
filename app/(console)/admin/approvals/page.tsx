import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { INBOX } from '#app/(console)/_kit/subscription-words.ts';
import { consolePage } from '#app/(console)/_kit/visit.tsx';
import { Inbox } from '#app/(console)/_subjects/inbox.tsx';

export const generateMetadata = pageTitle('Approvals');

export default consolePage(INBOX, Inbox);
