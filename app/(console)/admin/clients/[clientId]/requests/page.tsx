import type { Metadata } from 'next';
import { requestsPage } from '#app/(console)/_clients/requests.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Requests' };

export default function Page(props: ClientPageProps) {
  return requestsPage('admin', props);
}
