// A sentence for people, before it is known in which language it is read: the English text, and the values for its
// `{names}`.
export type Sentence = { text: string; values?: Readonly<Record<string, string | number>> };

export const englishOfSentence = ({ text, values = {} }: Sentence): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
