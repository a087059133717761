import type { SearchParams } from '#app/_components/page-input.ts';
import { findPage } from '#app/(console)/_find/find-page.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Find');

export default function Page({ searchParams }: { searchParams: SearchParams }) {
  return findPage('developer', searchParams);
}
