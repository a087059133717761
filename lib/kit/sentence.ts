// A sentence for people, before it is known in which language it is read: the English text in ICU
// MessageFormat, and its values.
export type Sentence = { text: string; values?: Readonly<Record<string, string | number>> };
