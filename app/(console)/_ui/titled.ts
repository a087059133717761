import type { Metadata } from 'next';
import { visitWords } from './page-language.ts';

/** The `generateMetadata` of a page: its title, an English sentence, in the reader's language. */
export const titled = (title: string) => async (): Promise<Metadata> => ({
  title: (await visitWords()).say(title),
});
