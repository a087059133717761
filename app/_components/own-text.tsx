/** What an API or a client says in its own words: plain text, also where it looks like HTML. */
export const OwnText = ({ text }: { text: string | null }) =>
  text === null ? null : <p className="own-text">{text}</p>;
