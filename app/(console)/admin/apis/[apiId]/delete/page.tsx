import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { type ApiPageProps, askAboutApi } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('Delete API');

export default function DeleteApiPage(props: ApiPageProps) {
  return askAboutApi(props, 'delete', 'api-delete');
}
