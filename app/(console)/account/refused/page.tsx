import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { SearchParams } from '#app/_components/page-input.ts';
import { visitWords } from '../../_kit/page-language.ts';
import { readRefusedPage } from '../../_kit/refused-page.ts';
import { Refusal, visit } from '../../_kit/visit.tsx';

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await visitWords()).t(readRefusedPage(await headers()).heading),
});

export default async function RefusedPage({ searchParams }: { searchParams: SearchParams }) {
  const { path, heading, message } = readRefusedPage(await headers());
  return visit({ area: 'account', here: path, path, searchParams }, async () => (
    <Refusal heading={heading} message={message} />
  ));
}
