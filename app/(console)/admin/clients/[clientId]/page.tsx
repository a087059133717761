import { clientPage } from '#app/(console)/_clients/overview.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Application');

export default function Page(props: ClientPageProps) {
  return clientPage('admin', props);
}
