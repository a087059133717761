/** Marks the English sentences of a table that are said where they are shown, so that they are translated. */
export const toSay = <const Texts>(texts: Texts): Texts => texts;
