/** Marks the English sentences of a table for translation. They are translated when a page displays them. */
export const toSay = <const Texts>(texts: Texts): Texts => texts;
