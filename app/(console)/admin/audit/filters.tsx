const KINDS = [
  ['', 'Every event'],
  ['sign_in.', 'Sign-ins'],
  ['session.', 'Sessions'],
  ['consent.', 'Consents'],
  ['token.', 'Tokens'],
  ['code.', 'Codes'],
  ['subscription.', 'Subscriptions'],
  ['client.', 'Clients'],
  ['api.', 'APIs'],
  ['auth_method.', 'Sign-in methods'],
  ['person.', 'People'],
  ['key.', 'Keys'],
  ['config.', 'Configuration'],
  ['access.', 'Refused access'],
] as const;

type Asked = Record<'event' | 'actor' | 'person' | 'client' | 'api' | 'request' | 'since' | 'until', string>;

export function AuditFilters({ asked }: { asked: Asked }) {
  const listed = KINDS.some(([value]) => value === asked.event);
  return (
    <search>
      <form action="/admin/audit" className="search filters">
        <label>
          <span>Event</span>
          <select name="event" defaultValue={asked.event}>
            {!listed && <option value={asked.event}>{asked.event}</option>}
            {KINDS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Text name="client" label="Client" value={asked.client} />
        <Text name="api" label="API" value={asked.api} />
        <Text name="actor" label="Who (id, operator, config)" value={asked.actor} />
        <Text name="request" label="Request id" value={asked.request} />
        <label>
          <span>From</span>
          <input type="date" name="since" defaultValue={asked.since} />
        </label>
        <label>
          <span>To</span>
          <input type="date" name="until" defaultValue={asked.until} />
        </label>
        {asked.person && <input type="hidden" name="person" value={asked.person} />}
        <button type="submit" className="button plain small">
          Filter
        </button>
      </form>
    </search>
  );
}

function Text({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <label>
      <span>{label}</span>
      <input name={name} defaultValue={value} maxLength={200} spellCheck={false} />
    </label>
  );
}
