// The filters of the log: a GET form, so that the address holds them.
import { say } from '#app/(console)/_texts/say.tsx';
import { LiveForm } from '#app/(console)/_ui/live-form.tsx';
import { noCredential } from '#app/(console)/_ui/no-credential.ts';
import { EVENT_MEANINGS } from '#lib/audit/event-meanings.ts';
import { EVENT_FAMILIES, EVENT_NAMES } from '#lib/audit/names.ts';
import type { Given } from './filter.ts';

type Props = { action: string; given: Given; order: string };

/** Each family, then its events, with what they mean. */
const offered = () =>
  EVENT_FAMILIES.flatMap((family) => [
    [family, say('All events that begin like this')] as const,
    ...EVENT_NAMES.filter((name) => name.startsWith(family)).map(
      (name) => [name, say(EVENT_MEANINGS[name])] as const,
    ),
  ]);

export function FilterForm({ action, given, order }: Props) {
  const field = (name: keyof Given, label: string, placeholder: string) => (
    <label className="entry">
      <span>{label}</span>
      <input
        name={name}
        defaultValue={given[name]}
        placeholder={placeholder}
        maxLength={200}
        {...noCredential()}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        list={name === 'event' ? 'audit-events' : undefined}
      />
    </label>
  );
  const time = (name: 'since' | 'until', label: string) => (
    <label className="entry">
      <span>{label}</span>
      <input type="datetime-local" name={name} step={1} defaultValue={given[name].replace(/Z$/, '')} />
    </label>
  );
  return (
    <search>
      <LiveForm action={action} className="filters">
        {field('event', say('Event'), say('sign_in or refused'))}
        {field('actor', say('Who did it'), say('name, e-mail or operator'))}
        {field('person', say('To whom'), say('name, e-mail or id'))}
        {field('client', say('Client'), say('name or client id'))}
        {field('api', say('API'), say('name or id'))}
        {field('request', say('Request id'), say('from an error page'))}
        {time('since', say('Since (UTC)'))}
        {time('until', say('Until (UTC)'))}
        {order !== '' && <input type="hidden" name="order" value={order} />}
        <datalist id="audit-events">
          {offered().map(([event, meaning]) => (
            <option key={event} value={event} label={meaning} />
          ))}
        </datalist>
        <div className="form-actions">
          <button type="submit" className="button plain small">
            {say('Filter')}
          </button>
          <a className="button quiet small" href={action}>
            {say('Everything')}
          </a>
        </div>
      </LiveForm>
    </search>
  );
}
