// Forms of the first-day checklist, shared by both areas, which have separate lists.
import { markFirstDay, putChecklistAway } from '#lib/management/upkeep.ts';
import { type Area, type Context, type Forms, redirectAfter } from '../_kit/console-form.ts';

const listOf = (area: Area) => (area === 'admin' ? 'service' : 'own');
const startPage = ({ area }: Context) => (area === 'admin' ? '/admin' : '/developer');

export const upkeepForms: Forms = {
  checklist: {
    page: (_, context) => startPage(context),
    run: async (actor, fields, context) => {
      const away = fields.has('away');
      await putChecklistAway(actor, { list: listOf(context.area), away });
      return redirectAfter(startPage(context), away ? 'checklist-away' : 'checklist-back');
    },
  },
};

/** Forms for administrators only. */
export const firstDayForms: Forms = {
  'first-day': {
    page: () => '/admin',
    run: async (actor, fields) => {
      const isDone = fields.text('done') !== undefined;
      await markFirstDay(actor, { step: fields.one('step'), done: isDone });
      return redirectAfter('/admin', isDone ? 'step-done' : 'step-undone');
    },
  },
};
