// First-day checklist forms, shared by both areas with separate lists.
import { markFirstDay, putChecklistAway } from '#lib/management/upkeep.ts';
import { type Area, type Context, done, type Forms } from '../_kit/console-form.ts';

const listOf = (area: Area) => (area === 'admin' ? 'service' : 'own');
const startPage = ({ area }: Context) => (area === 'admin' ? '/admin' : '/developer');

export const upkeepForms: Forms = {
  checklist: {
    page: (_, context) => startPage(context),
    run: async (actor, fields, context) => {
      const away = fields.has('away');
      await putChecklistAway(actor, { list: listOf(context.area), away });
      return done(startPage(context), away ? 'checklist-away' : 'checklist-back');
    },
  },
};

/** Only of administrators. */
export const firstDayForms: Forms = {
  'first-day': {
    page: () => '/admin',
    run: async (actor, fields) => {
      const isDone = fields.given('done') !== undefined;
      await markFirstDay(actor, { step: fields.one('step'), done: isDone });
      return done('/admin', isDone ? 'step-done' : 'step-undone');
    },
  },
};
