// The forms of /developer.
import { clientForms } from '#app/(console)/_clients/forms.ts';
import { findForms } from '#app/(console)/_find/forms.ts';
import type { Forms } from '#app/(console)/_forms/form.ts';
import { subscriptionForms } from '#app/(console)/_subscriptions/forms.ts';
import { upkeepForms } from '#app/(console)/_upkeep/forms.ts';
import { playgroundForms } from '../playground/forms.ts';

export const forms: Forms = {
  ...findForms,
  ...clientForms,
  ...subscriptionForms,
  ...playgroundForms,
  ...upkeepForms,
};
