/** Marks English table sentences for translation; they are translated when displayed. */
export const toSay = <const Texts>(texts: Texts): Texts => texts;
