import type { Metadata } from 'next';
import { clientPage } from '#app/(console)/_clients/overview.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Application' };

export default function Page(props: ClientPageProps) {
  return clientPage('admin', props);
}
