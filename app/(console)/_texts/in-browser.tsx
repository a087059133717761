'use client';

// The texts of components that run in the browser. They are put into the page in its reader's language.
import { createContext, type ReactNode, use } from 'react';

type Texts = Readonly<Record<string, string>>;

const Translated = createContext<Texts>({});

export function TextsInBrowser({ texts, children }: { texts: Texts; children: ReactNode }) {
  return <Translated value={texts}>{children}</Translated>;
}

/** An English sentence in the reader's language, with `{name}` for a value. */
export function useSay(): (text: string, values?: Readonly<Record<string, string | number>>) => string {
  const texts = use(Translated);
  return (text, values = {}) =>
    (texts[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));
}
