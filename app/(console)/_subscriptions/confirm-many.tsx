// Many requests are decided only once the page has shown which, how many, and what has power among them.

import { Name } from '#app/_components/name.tsx';
import { POWERS } from '#lib/registry/objects/subscription-states.ts';
import { ASKED_ID } from '../_forms/confirm.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout, Pill } from '../_ui/pieces.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { inboxAt, type Place } from './place.ts';
import { type Choice, readSelected, selectedIn, selectedValue } from './selected.ts';

const MEANS = toSay({
  trusted: 'no one is asked for consent, and the application may collect passwords itself.',
  machine: 'the application gets tokens in its own name, with no one signed in.',
  device: 'a person lets it act for them by a code that they type, which strangers may send them.',
});
const SOME = toSay({
  trusted: '{count} of them trusted:',
  machine: '{count} of them machine:',
  device: '{count} of them device:',
});
const ASKED = toSay({
  approve: 'Approve {count, plural, one {# request} other {# requests}}?',
  reject: 'Reject {count, plural, one {# request} other {# requests}}?',
});
const DONE = toSay({
  approve: 'Approve {count, plural, one {# request} other {# requests}}',
  reject: 'Reject {count, plural, one {# request} other {# requests}}',
});

export async function ConfirmMany({ actor, form, typed, place }: Visit & { place: Place }) {
  const values = typed('decide-many');
  const action: Choice = values.one('action') === 'approve' ? 'approve' : 'reject';
  const { told } = spoken();
  const read = await readSelected(actor, action, selectedIn(values.list('item')));
  const views = read.flatMap(({ view, why }) => (view && why === null ? [view] : []));
  const left = read.filter(({ why }) => why !== null);
  const count = views.length;
  const powers = action === 'approve' ? POWERS.filter((power) => views.some((one) => one[power])) : [];
  return (
    <section className="panel confirm-many" id={ASKED_ID} tabIndex={-1} aria-labelledby="confirm-many">
      <div className="panel-head">
        <h2 id="confirm-many">
          {count > 0 ? say(ASKED[action], { count }) : say('Nothing is left to decide')}
        </h2>
      </div>
      {left.length > 0 && (
        <Callout tone="refused">
          <p>{say('These are left out:')}</p>
          <ul>
            {left.map(({ clientId, api, name, why }) => (
              <li key={`${api} ${clientId}`}>
                {name}: {why && told(why)}
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {powers.map((power) => (
        <Callout key={power}>
          <p>
            <strong>{say(SOME[power], { count: views.filter((one) => one[power]).length })}</strong>{' '}
            {say(MEANS[power])}
          </p>
        </Callout>
      ))}
      <ul className="list" aria-label={say('Selected requests')}>
        {views.map((view) => (
          <li key={`${view.api} ${view.clientId}`} className="row">
            <p className="row-title">
              <span>
                <Name>{view.clientName}</Name> → <Name>{view.apiName}</Name>
              </span>
              {POWERS.filter((power) => view[power]).map((power) => (
                <Pill key={power} tone="waiting">
                  {say(power)}
                </Pill>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {views.length > 0 ? (
        <Form
          {...(await form('decide-many'))}
          fields={{ ...place, action, confirmed: views.length }}
          submit={say(DONE[action], { count })}
          tone={action === 'approve' ? 'main' : 'danger'}
          leave={{ href: inboxAt(place), label: say('Not now') }}
        >
          {views.map((view) => (
            <input key={selectedValue(view)} type="hidden" name="item" value={selectedValue(view)} />
          ))}
          {action === 'reject' && (
            <TextArea
              name="reason"
              label={say('Why not?')}
              hint={say('Each requester reads this, and can change the request.')}
              value={values.one('reason')}
              maxLength={2000}
            />
          )}
        </Form>
      ) : (
        <p>
          <a href={inboxAt(place)}>{say('All requests')}</a>
        </p>
      )}
    </section>
  );
}
