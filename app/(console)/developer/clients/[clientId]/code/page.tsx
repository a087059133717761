import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { codePage } from '#app/(console)/_subjects/client-code.tsx';
import type { ClientPageProps } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('Code');

export default function Page(props: ClientPageProps) {
  return codePage('developer', props);
}
