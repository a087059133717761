// The forms of the first day and of calendars. Both areas have them, each with its own list.
import { markFirstDay, putChecklistAway, removeCalendar, renewCalendar } from '#lib/management/index.ts';
import { type Area, type Context, done, type Forms } from '../_forms/form.ts';
import { toSay } from '../_texts/to-say.ts';

const listOf = (area: Area) => (area === 'admin' ? 'service' : 'own');
const calendarPage = ({ area }: Context) => (area === 'admin' ? '/admin/service' : '/developer/expiring');
const startPage = ({ area }: Context) => (area === 'admin' ? '/admin' : '/developer');

const CALENDAR = toSay({
  heading: { text: 'The address of your calendar' },
  message: {
    text: 'Give it to your calendar program as a subscription now: it is shown this once. An address from before works no more.',
  },
});
const ADDRESS = toSay({ text: 'Address' });
const SUBSCRIBED = toSay({ text: 'I have subscribed to it' });

export const upkeepForms: Forms = {
  checklist: {
    page: (_, context) => startPage(context),
    run: async (actor, fields, context) => {
      const away = fields.has('away');
      await putChecklistAway(actor, { list: listOf(context.area), away });
      return done(startPage(context), away ? 'checklist-away' : 'checklist-back');
    },
  },
  calendar: {
    page: (_, context) => calendarPage(context),
    run: async (actor, _, context) => {
      const { address } = await renewCalendar(actor, { list: listOf(context.area) });
      return {
        kind: 'shown',
        shown: {
          ...CALENDAR,
          values: [[ADDRESS, address]],
          next: { href: calendarPage(context), label: SUBSCRIBED },
        },
      };
    },
  },
  'calendar-remove': {
    page: (_, context) => calendarPage(context),
    run: async (actor, _, context) => {
      await removeCalendar(actor, { list: listOf(context.area) });
      return done(calendarPage(context), 'calendar-removed');
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
