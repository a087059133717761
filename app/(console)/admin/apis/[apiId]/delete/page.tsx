import { type ApiPageProps, askAboutApi } from '#app/(console)/_registry/visit-api.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Delete the API');

export default function DeleteApiPage(props: ApiPageProps) {
  return askAboutApi(props, 'delete', 'api-delete');
}
