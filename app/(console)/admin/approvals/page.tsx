import type { SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { INBOX } from '#app/(console)/_kit/subscription-words.ts';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { Inbox } from '#app/(console)/_subjects/inbox.tsx';

export const generateMetadata = pageTitle('Approvals');

export default function ApprovalsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: INBOX, path: INBOX, searchParams }, Inbox);
}
