// Every value from outside is checked at the door: PostgreSQL must be able to store its text (no NUL), the text must be
// valid Unicode (no lone surrogate, which JSON can write), and it must not be nested too deeply.

/** A value that the database cannot store: a fault of the sender, never of the service. */
export class UnstorableValue extends Error {
  override name = 'UnstorableValue';
  /** of the value in the input; null: the database refused it and does not tell which value */
  readonly path: readonly (string | number)[] | null;
  constructor(fault: string, path: readonly (string | number)[] | null = null, options: ErrorOptions = {}) {
    super(fault, options);
    this.path = path;
  }
}

const MAX_DEPTH = 20;

type Path = readonly (string | number)[];

/** The first text (or name of a member) that cannot be stored; null if all can. */
export function findUnstorable(value: unknown): UnstorableValue | null {
  // a loop, since deeply nested input would overflow the stack of a recursion
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

/** Returns the value, or throws UnstorableValue. */
export function requireStorable<Value>(value: Value): Value {
  const found = findUnstorable(value);
  if (found) throw found;
  return value;
}

function faultOf(text: string): string | null {
  if (text.includes('\u0000')) return 'holds a NUL character';
  return text.isWellFormed() ? null : 'holds half of a surrogate pair';
}
