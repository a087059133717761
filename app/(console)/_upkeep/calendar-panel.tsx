// The address that a calendar program subscribes to: made, replaced and removed.
import { listMyCalendars } from '#lib/management/index.ts';
import { Say, say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { Visit } from '../_visit/visit.tsx';

export async function CalendarPanel({
  visited: { actor, form },
  list,
}: {
  visited: Visit;
  list: 'service' | 'own';
}) {
  const calendar = (await listMyCalendars(actor)).find((one) => one.list === list);
  const renew = await form('calendar');
  return (
    <Panel
      id="calendar"
      heading={say('In your calendar')}
      lead={say(
        'An address for your calendar program, with all of this for a year ahead. Who knows it can read it, so it is shown once; it names no person, and ends with your role.',
      )}
    >
      {calendar && (
        <p>
          <Say
            text="There is one. Made {made}, last read {read}."
            values={{ made: <When at={calendar.createdAt} />, read: <When at={calendar.lastReadAt} /> }}
          />
        </p>
      )}
      <Form {...renew}>
        <div className="form-actions">
          <Submit tone="plain">{calendar ? say('Replace the address') : say('Make an address')}</Submit>
        </div>
      </Form>
      {calendar && (
        <Form {...(await form('calendar-remove'))} className="inline">
          <Submit tone="link">{say('Remove the address')}</Submit>
        </Form>
      )}
    </Panel>
  );
}
