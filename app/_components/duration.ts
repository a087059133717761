const UNITS: [name: string, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** `1 hour 30 minutes`: the two largest units; `about` where smaller ones are left out. */
export function inWords(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [name, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 || parts.length === 2) continue;
    parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
    rest -= count * size;
  }
  return `${rest > 0 ? 'about ' : ''}${parts.join(' ') || '0 seconds'}`;
}
