// The core names fields as files and requests do. Beside a field of a form, "this" says which one is meant.
import type { ConsoleForm } from '#app/(console)/_forms/form.ts';
import { Refused } from '#lib/management/index.ts';

const MARKED = 'Nothing was saved. Look at what is marked below.';

/** The same form, its complaints in the words of the page. */
export function plainly({ page, run }: ConsoleForm): ConsoleForm {
  return {
    page,
    run: async (...given) => {
      try {
        return await run(...given);
      } catch (error) {
        throw error instanceof Refused && error.kind === 'invalid' ? reworded(error) : error;
      }
    },
  };
}

function reworded(error: Refused): Refused {
  if (error.faults.length === 0) return error;
  const faults = error.faults.map(({ field, message }) => ({ field, message: words(field, message) }));
  return new Refused(MARKED, 'invalid', { faults });
}

function words(field: string, message: string): string {
  const key = field.replace(/^config\./, '');
  return message.startsWith(`${key} `) ? `this ${message.slice(key.length + 1)}` : message;
}
