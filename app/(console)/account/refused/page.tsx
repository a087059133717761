import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { SearchParams } from '#app/_components/page-input.ts';
import { visitWords } from '../../_ui/page-language.ts';
import { Refusal } from '../../_visit/refusal.tsx';
import { readRefusedPage } from '../../_visit/refused-page.ts';
import { visit } from '../../_visit/visit.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t(readRefusedPage(await headers()).heading),
});

export default async function RefusedPage({ searchParams }: { searchParams: SearchParams }) {
  const { path, heading, message } = readRefusedPage(await headers());
  return visit({ area: 'account', here: path, path, searchParams }, async () => (
    <Refusal heading={heading} message={message} />
  ));
}
