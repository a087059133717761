// What every value from outside must be, asked once at each door: text that PostgreSQL can hold (it has no NUL) and that
// is Unicode (no half of a surrogate pair, which JSON can write), and no deeper than anybody means it.

/** A value that the store can not hold, and whose sender is at fault. */
export class UnstorableValue extends Error {
  override name = 'UnstorableValue';
  /** where it stands in what was sent; null: the database found it, and tells no place */
  readonly path: readonly (string | number)[] | null;
  constructor(fault: string, path: readonly (string | number)[] | null = null, options: ErrorOptions = {}) {
    super(fault, options);
    this.path = path;
  }
}

const MAX_DEPTH = 20;

type Path = readonly (string | number)[];

/** The first text in it, a name of a member too, that can not be stored; null: it is fine. */
export function findUnstorable(value: unknown): UnstorableValue | null {
  // not recursive: what is nested ten thousand deep must not take the stack with it
  const left: [value: unknown, path: Path][] = [[value, []]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [one, path] = next;
    if (typeof one === 'string') {
      const fault = faultOf(one);
      if (fault !== null) return new UnstorableValue(fault, path);
    } else if (typeof one === 'object' && one !== null) {
      if (path.length >= MAX_DEPTH) return new UnstorableValue('is nested too deeply', path);
      const members = Array.isArray(one) ? [...one.entries()] : Object.entries(one);
      for (const [name, member] of members.reverse()) {
        const fault = typeof name === 'string' ? faultOf(name) : null;
        if (fault !== null) return new UnstorableValue(`has a name that ${fault}`, path);
        left.push([member, [...path, name]]);
      }
    }
  }
  return null;
}

/** Gives it back, or throws: for whatever a door has read. */
export function requireStorable<Value>(value: Value): Value {
  const found = findUnstorable(value);
  if (found) throw found;
  return value;
}

function faultOf(text: string): string | null {
  if (text.includes('\u0000')) return 'holds a NUL character';
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}
