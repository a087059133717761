// An edit: the object with what was given in its place, and the difference, as the audit log tells it.
import type { z } from 'zod';
import type { Unchecked } from '#lib/registry/index.ts';

type Values = Record<string, unknown>;
/** `changed`: the names of the fields that differ */
type Changes = { changed: string[]; before: Values; after: Values };

/** What a definition has of the object, with what the change gives in its place; not checked yet. */
export function withChange(definition: z.ZodObject, old: object, change: object): Unchecked {
  const before = old as Values;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const kept = Object.keys(definition.shape).map((name) => [name, before[name]]);
  return Object.fromEntries([...kept, ...given]);
}

/** Looks at the fields that the edited object has; `keys` names others, where fields come and go. */
export function changesOf(old: object, fresh: object, keys: Iterable<string> = Object.keys(fresh)): Changes {
  const [before, after] = [old as Values, fresh as Values];
  const changed = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  const pick = (values: Values) => Object.fromEntries(changed.map((key) => [key, values[key] ?? null]));
  return { changed, before: pick(before), after: pick(after) };
}
