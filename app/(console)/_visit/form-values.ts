// The initial values of a form's fields: those of the draft, otherwise the stored ones.
import type { Draft } from '../_forms/draft.ts';
import { Fields, type Pair } from '../_forms/fields.ts';

export class FormValues {
  private readonly because: Draft['because'] | undefined;
  readonly typed: Fields;
  constructor(draft: Draft | null) {
    this.because = draft?.because;
    this.typed = new Fields(draft?.entries ?? []);
  }

  /** the form is valid and has to be confirmed */
  get confirming(): boolean {
    return this.because === 'confirm';
  }

  /** there is a draft */
  get kept(): boolean {
    return this.typed.entries.length > 0;
  }

  /** The stored value also where the draft has no such field: its form was of the version before. */
  one(name: string, stored = ''): string {
    return this.typed.has(name) ? this.typed.one(name) : stored;
  }

  list(name: string, stored: readonly string[] = []): readonly string[] {
    return this.kept ? this.typed.all(name).filter((value) => value.trim() !== '') : stored;
  }

  checked(name: string, stored = false): boolean {
    return this.kept ? this.typed.has(name) : stored;
  }

  pairs(name: string, stored: readonly Pair[]): readonly Pair[] {
    return this.kept ? this.typed.pairs(name) : stored;
  }

  /** The stored value, if another person has changed it since; undefined where it equals the typed one. */
  meanwhile(name: string, stored: string): string | undefined {
    return this.meanwhileOf(this.typed.all(name).join('\n'), stored);
  }

  /** The same for what the form makes of several fields. */
  meanwhileOf(typed: string, stored: string): string | undefined {
    if (this.because !== 'stale') return undefined;
    return typed.trim() === stored.trim() ? undefined : stored;
  }

  /** The same for rows of two fields. */
  meanwhilePairs(name: string, stored: readonly Pair[]): string | undefined {
    if (this.because !== 'stale') return undefined;
    const now = linesOf(stored);
    return linesOf(this.typed.pairs(name)) === now ? undefined : now;
  }
}

function linesOf(pairs: readonly Pair[]): string {
  const lines = pairs.map((pair) =>
    [pair.name, pair.description, pair.texts, pair.required_acr, pair.groups].filter(Boolean).join(' '),
  );
  return lines.filter(Boolean).join('\n');
}
