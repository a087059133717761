// The name that was probably meant, for errors about an unknown one.

/** The one that is fewest edits away, at most a third of its letters; null: none is near. */
export function nearest(typed: string, names: readonly string[]): string | null {
  const by = names
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((one, other) => one.distance - other.distance);
  return by[0]?.name ?? null;
}

/** Levenshtein's: letters that are added, left out or replaced. */
function distanceOf(one: string, other: string): number {
  // an error stays cheap, whatever was typed
  if (Math.abs(one.length - other.length) > other.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(
        Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === wanted ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
