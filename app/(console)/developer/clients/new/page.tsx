import type { SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { newClientPage } from '#app/(console)/_subjects/client-fields.tsx';

export const generateMetadata = pageTitle('Register an application');

export default function Page(props: { searchParams: SearchParams }) {
  return newClientPage('developer', props);
}
