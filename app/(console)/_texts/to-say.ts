/** Marks the English texts of a constant for translation. They are translated when a page displays them. */
export const toSay = <const Texts>(texts: Texts): Texts => texts;
