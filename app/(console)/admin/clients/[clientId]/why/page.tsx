import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import type { ClientPageProps } from '#app/(console)/_subjects/object-pages.tsx';
import { whyPage } from '#app/(console)/_subjects/why.tsx';

export const generateMetadata = pageTitle('Why?');

export default function Page(props: ClientPageProps) {
  return whyPage('admin', props);
}
