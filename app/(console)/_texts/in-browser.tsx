'use client';

// For components that run in the browser: texts in the reader's language, and whether the script runs.
import { createContext, Fragment, type ReactNode, use, useSyncExternalStore } from 'react';

type Texts = Readonly<Record<string, string>>;

const Translated = createContext<Texts>({});

export function TextsInBrowser({ texts, children }: { texts: Texts; children: ReactNode }) {
  const outer = use(Translated);
  return <Translated value={{ ...outer, ...texts }}>{children}</Translated>;
}

/** Returns a function that translates an English sentence into the reader's language; `{name}` stands for a value. */
export function useSay(): (text: string, values?: Readonly<Record<string, string | number>>) => string {
  const texts = use(Translated);
  return (text, values = {}) =>
    (texts[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));
}

/** A sentence in the reader's language that contains elements. */
export function Say({ text, values }: { text: string; values: Readonly<Record<string, ReactNode>> }) {
  const parts = (use(Translated)[text] ?? text).split(/\{(\w+)\}/);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have a fixed order
    <Fragment key={at}>{at % 2 === 1 ? values[part] : part}</Fragment>
  ));
}

const subscribe = () => () => {};

/** False while the server renders the page and until the browser has hydrated it; then true. */
export function useHasScript(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
