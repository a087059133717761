// What an edit changes, as the audit log tells it.

type Values = Record<string, unknown>;
/** `changed`: the names of the fields that differ */
type Changes = { changed: string[]; before: Values; after: Values };

/** Looks at the fields that the edited object has; `keys` names others, where fields come and go. */
export function changesOf(old: object, fresh: object, keys: Iterable<string> = Object.keys(fresh)): Changes {
  const [before, after] = [old as Values, fresh as Values];
  const changed = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  const pick = (values: Values) => Object.fromEntries(changed.map((key) => [key, values[key] ?? null]));
  return { changed, before: pick(before), after: pick(after) };
}
