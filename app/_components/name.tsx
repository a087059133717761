const LONGEST = 80;

/** A name that somebody else chose: shortened, and isolated so that its direction does not turn the sentence. */
export function Name({ children }: { children: string }) {
  const letters = Array.from(children.trim());
  const cut = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : letters.join('');
  return <bdi className="name">{cut}</bdi>;
}
