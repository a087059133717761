// The initial values of a form's fields: those of the draft, otherwise the stored ones.
import type { Draft } from '../_forms/draft.ts';
import { Fields } from '../_forms/fields.ts';

type Pair = { name: string; description: string };

export class FormValues {
  private readonly because: Draft['because'] | undefined;
  private readonly typed: Fields;
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

  one(name: string, stored = ''): string {
    return this.kept ? this.typed.one(name) : stored;
  }

  list(name: string, stored: readonly string[] = []): readonly string[] {
    return this.kept ? this.every(name).filter((value) => value.trim() !== '') : stored;
  }

  checked(name: string, stored = false): boolean {
    return this.kept ? this.typed.has(name) : stored;
  }

  /** Every typed value, empty ones too. */
  every(name: string): string[] {
    return this.typed.all(name);
  }

  /** The stored value, if somebody else has changed it since; undefined where it equals the typed one. */
  meanwhile(name: string, stored: string): string | undefined {
    if (this.because !== 'stale') return undefined;
    return this.every(name).join('\n').trim() === stored.trim() ? undefined : stored;
  }

  /** The same for rows of two fields. */
  meanwhilePairs(name: string, description: string, stored: readonly Pair[]): string | undefined {
    if (this.because !== 'stale') return undefined;
    const descriptions = this.every(description);
    const typed = this.every(name).map((one, at) => ({ name: one, description: descriptions[at] ?? '' }));
    const now = linesOf(stored);
    return linesOf(typed) === now ? undefined : now;
  }
}

function linesOf(pairs: readonly Pair[]): string {
  const lines = pairs.map((pair) => `${pair.name} ${pair.description}`.trim());
  return lines.filter(Boolean).join('\n');
}
