import type { Metadata } from 'next';
import { revokeClientPage } from '#app/(console)/_clients/revoke-client.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Revoke all' };

export default function Page(props: ClientPageProps) {
  return revokeClientPage('developer', props);
}
