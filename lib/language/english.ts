// From a sentence in English, as another room says it, to its message.

/** `said` finds a message by its English text, or by that of a fault, which pages show as a sentence; numbers in it are arguments. */
export function englishIndex(texts: ReadonlyMap<string, string>) {
  const exact = new Map([...texts].map(([name, text]) => [text, name]));
  const numbered = [...texts].flatMap(([name, text]) => {
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, argument = '']) => argument);
    if (names.length === 0 || /\{\w+,/.test(text)) return [];
    const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return [{ name, names, pattern: new RegExp(`^${parts.join('(\\d+)')}$`) }];
  });

  const find = (english: string): Said | null => {
    const name = exact.get(english);
    if (name !== undefined) return { name };
    for (const { name: of, names, pattern } of numbered) {
      const found = pattern.exec(english);
      if (found)
        return { name: of, values: Object.fromEntries(names.map((key, at) => [key, found[at + 1] ?? ''])) };
    }
    return null;
  };
  return (english: string): Said | null => find(english) ?? find(faultOf(english));
}

type Said = { name: string; values?: Record<string, string> };

/** Without the capital and the full stop that make a sentence of a fault. */
const faultOf = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
