import { inEnglish } from '#lib/language/words.ts';
import type { Consequences } from '#lib/management/core/consequences.ts';
import type { Actor } from '#lib/management/core/policy.ts';

/** What a change would break, for programs: its warnings are texts. */
export const breaks =
  <Input>(preview: (actor: Actor, input: Input) => Promise<Consequences>) =>
  async (actor: Actor, input: Input) => {
    const found = await preview(actor, input);
    return { ...found, warnings: found.warnings.map(inEnglish) };
  };
