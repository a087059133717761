import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { requestsPage } from '#app/(console)/_subjects/client-lists.tsx';
import type { ClientPageProps } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('Requests');

export default function Page(props: ClientPageProps) {
  return requestsPage('developer', props);
}
