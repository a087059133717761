// What the page looks at: links and a GET form, so that the address holds it and no script is needed.

import type { Usage } from '#lib/management/service/usage.ts';
import { say } from '../_texts/say.tsx';
import { LiveForm } from '../_ui/live-form.tsx';

export const RANGES = ['hour', 'day', 'week'] as const;
/** Empty: all. */
export type Given = { range: (typeof RANGES)[number]; api: string; method: string };

export const givenOf = (query: Record<string, string>): Given => ({
  range: RANGES.find((one) => one === query['range']) ?? 'day',
  // `method` is the sign-in form's
  api: (query['api'] ?? '').trim().slice(0, 100),
  method: (query['auth_method'] ?? '').trim().slice(0, 100),
});

type Choices = Usage['choices'];

export function Filters({ action, given, choices }: { action: string; given: Given; choices: Choices }) {
  return (
    <search>
      <LiveForm action={action} className="filters beside">
        {given.range !== 'day' && <input type="hidden" name="range" value={given.range} />}
        <Pick
          name="api"
          label={say('API')}
          every={say('Every API')}
          typed={say('Every API, or an id')}
          value={given.api}
          of={choices.apis}
        />
        <Pick
          name="auth_method"
          label={say('Sign-in method')}
          every={say('Every method')}
          typed={say('Every method, or an id')}
          value={given.method}
          of={choices.methods}
        />
        <div className="form-actions">
          <button type="submit" className="button plain small">
            {say('Show')}
          </button>
          {(given.api !== '' || given.method !== '') && (
            <a className="button quiet small" href={action}>
              {say('Everything')}
            </a>
          )}
        </div>
      </LiveForm>
    </search>
  );
}

type PickProps = {
  name: string;
  label: string;
  every: string;
  /** the placeholder of the field */
  typed: string;
  value: string;
  of: Choices['apis'];
};

/** A choice where there are few; a field that proposes some where there are many. */
function Pick({ name, label, every, typed, value, of: { options, complete } }: PickProps) {
  if (!complete)
    return (
      <label className="entry">
        <span>{label}</span>
        <input
          name={name}
          defaultValue={value}
          placeholder={typed}
          maxLength={100}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          list={`pick-${name}`}
        />
        <datalist id={`pick-${name}`}>
          {options.map(({ id, name: shown }) => (
            <option key={id} value={id}>
              {shown}
            </option>
          ))}
        </datalist>
      </label>
    );
  const unknown = value !== '' && !options.some(({ id }) => id === value);
  return (
    <label className="entry">
      <span>{label}</span>
      <select name={name} defaultValue={value}>
        <option value="">{every}</option>
        {unknown && <option value={value}>{value}</option>}
        {options.map(({ id, name: shown }) => (
          <option key={id} value={id}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}
