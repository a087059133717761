const UNITS: [size: number, name: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** `30 days`, in the largest unit that fits exactly. */
export function lifetime(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
