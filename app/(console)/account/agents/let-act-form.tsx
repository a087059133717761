import { now } from '#lib/kit/index.ts';
import type { Agent } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import { Checks } from '../../_ui/choices.tsx';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import type { FormValues } from '../../_visit/form-values.ts';
import type { FormStart } from '../../_visit/start-form.ts';

const SUGGESTED_DAYS = 30;
const DAY_MS = 86_400_000;

type LetActFormProps = { agent: Agent; start: FormStart; typed: FormValues };

/** Nothing is ticked: what the agent may do is said one by one. */
export function LetActForm({ agent, start, typed }: LetActFormProps) {
  const suggested = new Date(now().getTime() + SUGGESTED_DAYS * DAY_MS).toISOString().slice(0, 10);
  return (
    <Form
      {...start}
      fields={{ clientId: agent.clientId, api: agent.api }}
      submit="Let it act"
      leave={{ href: '/account', label: 'Leave it' }}
    >
      <Checks
        name="scopes"
        label="What it may do in your name"
        options={agent.scopes.map(({ name, description }) => ({
          value: name,
          label: plainText(description) || name,
          note: <code>{name}</code>,
        }))}
        values={typed.list('scopes')}
      />
      <TextField
        name="until"
        label="Last day"
        type="date"
        value={typed.one('until', suggested)}
        hint="It ends with this day (UTC), a year from now at the latest. You can end it sooner on your account page."
      />
    </Form>
  );
}
