const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

type Part = [unit: (typeof UNITS)[number][0], count: number];

/** The two largest units; `isRounded` where smaller ones are left out. */
export function durationParts(seconds: number): { parts: Part[]; isRounded: boolean } {
  const parts: Part[] = [];
  let rest = seconds;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 || parts.length === 2) continue;
    parts.push([unit, count]);
    rest -= count * size;
  }
  return { parts: parts.length === 0 ? [['second', 0]] : parts, isRounded: rest > 0 };
}

/** `1 hour 30 minutes`; `about` where it is rounded. */
export function inWords(seconds: number): string {
  const { parts, isRounded } = durationParts(seconds);
  const words = parts.map(([unit, count]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `${isRounded ? 'about ' : ''}${words.join(' ')}`;
}
