// The forms about sessions. They lead back to the list as it was filtered.
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { done, type Forms } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/list.tsx';
import { endSession, endSessionsOf } from '#lib/management/index.ts';

const page = (fields: Fields) =>
  withQuery('/admin/sessions', {
    person: fields.one('person'),
    search: fields.one('search'),
    kind: fields.one('kind'),
  });

export const sessionForms: Forms = {
  'any-session-end': {
    page,
    run: async (actor, fields) => {
      await endSession(actor, { id: fields.one('id') });
      return done(page(fields), 'session-ended');
    },
  },
  'any-sessions-end': {
    page,
    run: async (actor, fields) => {
      await endSessionsOf(actor, { personId: fields.one('person') });
      return done(page(fields), 'signed-out-everywhere');
    },
  },
};
