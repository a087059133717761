import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { editClientPage } from '#app/(console)/_subjects/client-fields.tsx';
import type { ClientPageProps } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('Edit');

export default function Page(props: ClientPageProps) {
  return editClientPage('admin', props);
}
