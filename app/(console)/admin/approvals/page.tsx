import type { SearchParams } from '#app/_components/page-input.ts';
import { Inbox } from '#app/(console)/_subscriptions/inbox.tsx';
import { INBOX } from '#app/(console)/_ui/subscription-words.ts';
import { titled } from '#app/(console)/_ui/titled.ts';
import { visit } from '#app/(console)/_visit/visit.tsx';

export const generateMetadata = titled('Approvals');

export default function ApprovalsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: INBOX, path: INBOX, searchParams }, Inbox);
}
