// The forms of the registry, of people, sessions and keys.
import type { Forms } from '#app/(console)/_forms/form.ts';
import { apiForms } from '../apis/forms.ts';

export const registryForms: Forms = { ...apiForms };
