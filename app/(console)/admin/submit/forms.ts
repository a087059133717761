// The forms of /admin.
import { clientForms } from '#app/(console)/_clients/forms.ts';
import { clientTextsForm } from '#app/(console)/_clients/texts-form.ts';
import { findForms } from '#app/(console)/_find/forms.ts';
import type { Forms } from '#app/(console)/_forms/form.ts';
import { apiForms } from '#app/(console)/_registry/api-forms.ts';
import { groupForms } from '#app/(console)/_registry/group-forms.ts';
import { methodForms } from '#app/(console)/_registry/method-forms.ts';
import { testForms } from '#app/(console)/_registry/test-forms.ts';
import { decideForms } from '#app/(console)/_subscriptions/decide-forms.ts';
import { manyForms } from '#app/(console)/_subscriptions/many-forms.ts';
import { firstDayForms, upkeepForms } from '#app/(console)/_upkeep/forms.ts';
import { keyForms } from '../keys/forms.ts';
import { mailForms } from '../mails/forms.ts';
import { peopleForms } from '../people/forms.ts';
import { invitationForms } from '../people/invitations/forms.ts';
import { sessionForms } from '../sessions/forms.ts';

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
