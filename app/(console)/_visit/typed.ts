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

  private get kept(): boolean {
    return this.draft !== null && this.draft.entries.length > 0;
  }

  private all(name: string): string[] {
    return (this.draft?.entries ?? []).filter(([key]) => key === name).map(([, value]) => value);
  }
}
