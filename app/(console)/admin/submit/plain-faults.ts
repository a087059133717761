// The core names fields as files and requests do. Beside a field of a form, "this" says which one is meant.
import type { ConsoleForm, Forms } from '#app/(console)/_forms/form.ts';
import { Refused } from '#lib/management/index.ts';

const MARKED = 'Nothing was saved. Look at what is marked below.';

/** The same forms, their complaints in the words of the page. */
export function plainly(forms: Forms): Forms {
  return Object.fromEntries(
    Object.entries(forms).map(([name, form]) => [name, 'public' in form ? form : reworded(form)]),
  );
}

function reworded({ page, run }: ConsoleForm): ConsoleForm {
  return {
    page,
    run: async (...given) => {
      try {
        return await run(...given);
      } catch (error) {
        throw error instanceof Refused && error.kind === 'invalid' ? rewordedRefusal(error) : error;
      }
    },
  };
}

function rewordedRefusal(error: Refused): Refused {
  if (error.faults.length === 0) return error;
  const faults = error.faults.map(({ field, message }) => ({ field, message: words(field, message) }));
  return new Refused(MARKED, 'invalid', { faults });
}

function words(field: string, message: string): string {
  const key = field.replace(/^config\./, '');
  return message.startsWith(`${key} `) ? `this ${message.slice(key.length + 1)}` : message;
}
