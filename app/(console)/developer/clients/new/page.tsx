import type { SearchParams } from '#app/_components/page-input.ts';
import { newClientPage } from '#app/(console)/_clients/new-client.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Register an application');

export default function Page(props: { searchParams: SearchParams }) {
  return newClientPage('developer', props);
}
