// The forms of /admin.
import { clientForms } from '#app/(console)/_clients/forms.ts';
import type { Forms } from '#app/(console)/_forms/form.ts';
import { peopleForms } from '#app/(console)/_people/forms.ts';
import { apiForms } from '#app/(console)/_registry/api-forms.ts';
import { methodForms } from '#app/(console)/_registry/method-forms.ts';
import { decideForms } from '#app/(console)/_subscriptions/decide-forms.ts';

export const forms: Forms = {
  ...decideForms,
  ...clientForms,
  ...apiForms,
  ...methodForms,
  ...peopleForms,
};
