import type { Metadata } from 'next';
import { codePage } from '#app/(console)/_clients/code.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';

export const metadata: Metadata = { title: 'Code' };

export default function Page(props: ClientPageProps) {
  return codePage('admin', props);
}
