import type { Metadata } from 'next';
import { editClientPage } from '#app/(console)/_clients/edit-client.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Edit' };

export default function Page(props: ClientPageProps) {
  return editClientPage('admin', props);
}
