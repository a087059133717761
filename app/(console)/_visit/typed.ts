// What a form's fields start with: what was typed before it came back, else what is stored.
import type { Draft } from '../_forms/draft.ts';

export class Typed {
  readonly draft: Draft | null;
  constructor(draft: Draft | null) {
    this.draft = draft;
  }

  /** whether the form is back to be confirmed: everything in it was right */
  get confirming(): boolean {
    return this.draft?.because === 'confirm';
  }

  one(name: string, stored = ''): string {
    if (!this.kept) return stored;
    return this.all(name)[0] ?? '';
  }

  list(name: string, stored: readonly string[] = []): readonly string[] {
    if (!this.kept) return stored;
    return this.all(name).filter((value) => value.trim() !== '');
  }

  checked(name: string, stored = false): boolean {
    return this.kept ? this.all(name).length > 0 : stored;
  }

  /** For a field whose stored value somebody else changed meanwhile; undefined where it is what was typed. */
  meanwhile(name: string, stored: string): string | undefined {
    if (this.draft?.because !== 'stale') return undefined;
    return this.all(name).join('\n').trim() === stored.trim() ? undefined : stored;
  }

  /** Rows of two names, likewise. */
  meanwhilePairs(
    name: string,
    description: string,
    stored: readonly { name: string; description: string }[],
  ): string | undefined {
    if (this.draft?.because !== 'stale') return undefined;
    const descriptions = this.every(description);
    const lines = (pairs: readonly { name: string; description: string }[]) =>
      pairs.map((pair) => `${pair.name} ${pair.description}`.trim()).filter(Boolean);
    const typed = this.every(name).map((one, at) => ({ name: one, description: descriptions[at] ?? '' }));
    const now = lines(stored).join('\n');
    return lines(typed).join('\n') === now ? undefined : now;
  }

  get kept(): boolean {
    return this.draft !== null && this.draft.entries.length > 0;
  }

  /** Every value as it was typed, empty ones too. */
  every(name: string): string[] {
    return this.all(name);
  }

  private all(name: string): string[] {
    return (this.draft?.entries ?? []).filter(([key]) => key === name).map(([, value]) => value);
  }
}
