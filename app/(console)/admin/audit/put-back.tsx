// The panel that puts a change back: what becomes what it was, what stays, and what has been changed since.
import { path } from '#app/(console)/_forms/form.ts';
import { Consequences } from '#app/(console)/_objects/consequences.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Callout, Panel } from '#app/(console)/_ui/pieces.tsx';
import type { Visit } from '#app/(console)/_visit/visit.tsx';
import { type AuditEntry, type PutBackField, previewPutBack } from '#lib/management/index.ts';
import { ChangedLine } from './changes.tsx';
import { linesOf } from './difference.ts';
import { sayField, wordsOfField } from './field-words.ts';
import { PUT_BACK_FORM, withOverwritten } from './forms.ts';
import { objectOf } from './object.ts';

type Props = { visit: Pick<Visit, 'actor' | 'form' | 'typed'>; row: AuditEntry; leave: string };

export async function PutBack({ visit, row, leave }: Props) {
  const question = roleQuestion(row);
  if (question)
    return (
      <Panel id="put-back" heading={say('Put back')} lead={question.lead}>
        <div className="form-actions">
          <a className="button plain" href={question.href}>
            {say('Put back…')}
          </a>
        </div>
      </Panel>
    );
  const plan = await previewPutBack(visit.actor, { id: row.id });
  if (plan.state === 'none') return null;
  const object = objectOf(row);
  if (plan.state === 'gone')
    return (
      <Panel id="put-back" heading={say('Put back')}>
        <p>{say('What this event changed does not exist any more, so there is nothing to put back.')}</p>
        <div className="form-actions">
          <a className="button quiet" href={object.list}>
            {say(object.listLabel)}
          </a>
        </div>
      </Panel>
    );
  const back = plan.fields.filter(({ state }) => state === 'back');
  const others = plan.fields.filter(({ state }) => state !== 'back');
  if (back.length === 0)
    return (
      <Panel id="put-back" heading={say('Put back')}>
        <p>{say('There is nothing to put back.')}</p>
        <Others of={others} event={row.event} />
      </Panel>
    );
  return (
    <Panel
      id="put-back"
      heading={say('Put it back for {name}?', { name: object.label })}
      lead={say(
        'The same change is made in the other direction, as if it were typed into the form. It is an event of its own.',
      )}
    >
      <dl className="facts-table changes">
        {back.map(({ name, was, now }) => {
          const words = wordsOfField(row.event, name);
          return (
            <div key={name}>
              <dt>{sayField(words)}</dt>
              <dd>
                {linesOf({ name, ...words }, now, was).map((line) => (
                  <ChangedLine key={JSON.stringify(line)} line={line} isWhole />
                ))}
              </dd>
            </div>
          );
        })}
      </dl>
      <Others of={others} event={row.event} />
      <Form
        {...(await visit.form(PUT_BACK_FORM))}
        fields={{ id: row.id, version: plan.version }}
        submit={say('Put back')}
        leave={{ href: leave, label: say('Leave it as it is') }}
      >
        <Consequences
          of={withOverwritten(plan)}
          heading={say('What comes with it')}
          agreed={visit.typed(PUT_BACK_FORM).one('confirmed')}
          asks={visit.typed(PUT_BACK_FORM).confirming}
        />
      </Form>
    </Panel>
  );
}

/** A role is given and taken by a question of its own. */
function roleQuestion({ event, personId, details }: AuditEntry): { lead: string; href: string } | null {
  const step = { 'person.role_granted': 'revoke', 'person.role_revoked': 'grant' }[event];
  const { role } = details;
  if (step === undefined || personId === null || typeof role !== 'string') return null;
  const lead =
    step === 'revoke'
      ? say('The role is taken back on a page of its own.')
      : say('The role is given on a page of its own.');
  return { lead, href: path('admin', 'people', personId, `${step}-${role}`) };
}

function Others({ of, event }: { of: readonly PutBackField[]; event: string }) {
  if (of.length === 0) return null;
  return (
    <Callout>
      <ul>
        {of.map(({ name, state }) => (
          <li key={name}>
            {state === 'already'
              ? say('{field} is what it was before.', { field: labelOf(event, name) })
              : say('{field} is not put back.', { field: labelOf(event, name) })}
          </li>
        ))}
      </ul>
    </Callout>
  );
}

const labelOf = (event: string, name: string) => sayField(wordsOfField(event, name));
