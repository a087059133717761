import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { clientPage } from '#app/(console)/_subjects/client-page.tsx';
import type { ClientPageProps } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('Application');

export default function Page(props: ClientPageProps) {
  return clientPage('developer', props);
}
