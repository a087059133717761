// The forms of the registry, of people, sessions and keys.

import type { Forms } from '#app/(console)/_forms/form.ts';
import { apiForms } from '#app/(console)/_registry/api-forms.ts';
import { methodForms } from '#app/(console)/_registry/method-forms.ts';
import { keyForms } from '../keys/forms.ts';
import { peopleForms } from '../people/forms.ts';
import { sessionForms } from '../sessions/forms.ts';
import { plainly } from './plain-faults.ts';

export const registryForms: Forms = {
  ...plainly({ ...apiForms, ...methodForms }),
  ...peopleForms,
  ...sessionForms,
  ...keyForms,
};
