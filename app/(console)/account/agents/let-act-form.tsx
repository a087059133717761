import { now } from '#lib/kit/clock.ts';
import type { Words } from '#lib/language/words.ts';
import type { Agent } from '#lib/management/delegations.ts';
import { Checks } from '../../_kit/choices.tsx';
import type { FormValues } from '../../_kit/draft.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import type { FormStart } from '../../_kit/page-start.tsx';

const SUGGESTED_DAYS = 30;
const DAY_MS = 86_400_000;

type LetActFormProps = { agent: Agent; start: FormStart; typed: FormValues; words: Words };

/** No permission is preselected: users choose each one. */
export function LetActForm({ agent, start, typed, words: { t, shown } }: LetActFormProps) {
  const days = Math.min(SUGGESTED_DAYS, agent.maxDays ?? SUGGESTED_DAYS);
  const suggested = new Date(now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
  return (
    <Form
      {...start}
      fields={{
        clientId: agent.clientId,
        api: agent.api,
        identityChangedAt: agent.identityChangedAt?.toISOString() ?? '',
      }}
      submit={t('my.agent_let_it')}
      leave={{ href: '/account', label: t('my.agent_leave') }}
    >
      <Checks
        name="scopes"
        label={t('my.agent_may')}
        options={agent.scopes.map(({ name, description }) => ({
          value: name,
          label: shown(description).text || name,
          note: <code>{name}</code>,
        }))}
        values={typed.list('scopes')}
      />
      <TextField
        name="until"
        label={t('my.agent_last_day')}
        type="date"
        value={typed.one('until', suggested)}
        hint={t('my.agent_last_day_hint')}
      />
    </Form>
  );
}
