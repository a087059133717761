import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { newClientPage } from '#app/(console)/_clients/new-client.tsx';

export const metadata: Metadata = { title: 'Register an application' };

export default function Page(props: { searchParams: SearchParams }) {
  return newClientPage('developer', props);
}
