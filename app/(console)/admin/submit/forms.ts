// All forms of /admin.

import type { Forms } from '#app/(console)/_kit/console-form.ts';
import { clientForms, clientTextsForm } from '#app/(console)/_subjects/client-forms.tsx';
import { decideForms, manyForms } from '#app/(console)/_subjects/decision-forms.ts';
import { findForms } from '#app/(console)/_subjects/find-forms.ts';
import { groupForms } from '#app/(console)/_subjects/group-forms.ts';
import { apiForms, methodForms, testForms } from '#app/(console)/_subjects/registry-forms.ts';
import { firstDayForms, upkeepForms } from '#app/(console)/_subjects/upkeep-forms.ts';
import { invitationForms, keyForms, peopleForms, sessionForms } from '../forms.ts';
import { mailForms } from '../mails/forms.ts';

export const forms: Forms = {
  ...findForms,
  ...decideForms,
  ...manyForms,
  ...clientForms,
  ...clientTextsForm,
  ...apiForms,
  ...methodForms,
  ...groupForms,
  ...testForms,
  ...peopleForms,
  ...invitationForms,
  ...sessionForms,
  ...keyForms,
  ...upkeepForms,
  ...firstDayForms,
  ...mailForms,
};
