// All forms of /developer.

import type { Forms } from '#app/(console)/_kit/console-form.ts';
import { clientForms } from '#app/(console)/_subjects/client-forms.tsx';
import { findForms } from '#app/(console)/_subjects/find-forms.ts';
import { subscriptionForms } from '#app/(console)/_subjects/own-subscription-forms.ts';
import { upkeepForms } from '#app/(console)/_subjects/upkeep-forms.ts';
import { playgroundForms } from '../playground/forms.ts';

export const forms: Forms = {
  ...findForms,
  ...clientForms,
  ...subscriptionForms,
  ...playgroundForms,
  ...upkeepForms,
};
