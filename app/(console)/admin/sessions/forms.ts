// The forms about sessions. They lead back to the list with its filters.
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, type Forms } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { endSession } from '#lib/management/people/sessions.ts';

const page = (fields: Fields) =>
  withQuery('/admin/sessions', {
    person: fields.one('person'),
    search: fields.one('search'),
    kind: fields.one('kind'),
  });

export const sessionForms: Forms = {
  'any-session-end': backWith(page, 'session-ended', (actor, fields) =>
    endSession(actor, { id: fields.one('id') }),
  ),
};
