// The forms of /admin.
import { clientForms } from '#app/(console)/_clients/forms.ts';
import type { Forms } from '#app/(console)/_forms/form.ts';
import { decideForms } from '#app/(console)/_subscriptions/decide-forms.ts';
import { registryForms } from './registry-forms.ts';

export const forms: Forms = { ...decideForms, ...clientForms, ...registryForms };
