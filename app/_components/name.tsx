const LONGEST = 80;

/** A name that somebody else chose: cut, and isolated from the direction of the sentence around it. */
export function Name({ children }: { children: string }) {
  const letters = Array.from(children.trim());
  const cut = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : letters.join('');
  return <bdi className="name">{cut}</bdi>;
}
