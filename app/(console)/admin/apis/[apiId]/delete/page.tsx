import type { Metadata } from 'next';
import { type ApiPageProps, askAboutApi } from '#app/(console)/_registry/visit-api.tsx';

export const metadata: Metadata = { title: 'Delete the API' };

export default function DeleteApiPage(props: ApiPageProps) {
  return askAboutApi(props, 'delete', 'api-delete');
}
