import type { Metadata } from 'next';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { whyPage } from '#app/(console)/_clients/why.tsx';

export const metadata: Metadata = { title: 'Why?' };

export default function Page(props: ClientPageProps) {
  return whyPage('developer', props);
}
