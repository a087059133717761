import { requestsPage } from '#app/(console)/_clients/requests.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Requests');

export default function Page(props: ClientPageProps) {
  return requestsPage('admin', props);
}
