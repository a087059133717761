import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { type ApiPageProps, askAboutApi } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('New credentials');

export default function CredentialPage(props: ApiPageProps) {
  return askAboutApi(props, 'credential', 'api-secret');
}
