import type { Metadata } from 'next';
import { deleteClientPage } from '#app/(console)/_clients/delete-client.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Delete' };

export default function Page(props: ClientPageProps) {
  return deleteClientPage('admin', props);
}
