// The forms of /admin.
import { clientForms } from '#app/(console)/_clients/forms.ts';
import type { Forms } from '#app/(console)/_forms/form.ts';

export const forms: Forms = { ...clientForms };
