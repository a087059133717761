import { type ApiPageProps, askAboutApi } from '#app/(console)/_registry/visit-api.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('A new credential');

export default function CredentialPage(props: ApiPageProps) {
  return askAboutApi(props, 'credential', 'api-secret');
}
