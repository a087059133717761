// The form that puts a change back.
import { isUnanswered } from '#app/(console)/_forms/confirm.ts';
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { done, type Forms, path } from '#app/(console)/_forms/form.ts';
import { english } from '#lib/language/index.ts';
import { type Consequences, type PutBackPlan, previewPutBack, putBack } from '#lib/management/index.ts';
import { wordsOfField } from './field-words.ts';
import { objectOf } from './object.ts';

export const PUT_BACK_FORM = 'put-back';

const page = (fields: Fields) => `${path('admin', 'audit', fields.one('id'))}#put-back`;

/** Where a field was changed again after the event, that is a consequence that is agreed to as well. */
export function withOverwritten({ entry, fields, consequences }: PutBackPlan): Consequences {
  const overwritten = fields.flatMap(({ name, state, isChangedSince }) => {
    const { label } = wordsOfField(entry.event, name);
    const warning = english(
      '{field} has been changed again after this event. Putting it back undoes that, too.',
      { field: label },
    );
    return state === 'back' && isChangedSince ? [warning] : [];
  });
  return { ...consequences, warnings: [...overwritten, ...consequences.warnings] };
}

export const auditForms: Forms = {
  [PUT_BACK_FORM]: {
    page,
    run: async (actor, fields) => {
      const id = fields.one('id');
      if (isUnanswered(withOverwritten(await previewPutBack(actor, { id })), fields))
        return { kind: 'confirm' };
      const entry = await putBack(actor, { id, version: fields.number('version') });
      return done(objectOf(entry).href, 'put-back');
    },
  },
};
