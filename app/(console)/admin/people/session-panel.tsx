import { Name } from '#app/_components/name.tsx';
import { Say, say, spoken } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { List, Row } from '#app/(console)/_ui/list.tsx';
import { Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import type { FormStart } from '#app/(console)/_visit/start-form.ts';
import { deviceOf } from '#app/(console)/account/device-name.ts';
import { isOwnSession } from '#lib/management/core/policy.ts';
import type { SessionRow } from '#lib/registry/objects/session.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { personPath } from './forms.ts';

type Props = {
  actor: ConsoleActor;
  personId: string;
  rows: SessionRow[];
  more: boolean;
  end: FormStart;
};

export function SessionPanel({ actor, personId, rows, more, end }: Props) {
  const { t } = spoken();
  return (
    <Panel
      id="sessions"
      heading={say('Where they are signed in')}
      lead={say('Signing them out everywhere ends their tokens, too.')}
      aside={more && <a href={withQuery('/admin/sessions', { person: personId })}>{say('All of them')}</a>}
    >
      {rows.length === 0 ? (
        <p>{say('Nowhere at the moment.')}</p>
      ) : (
        <List label={say('Where they are signed in')}>
          {rows.map((row) => (
            <Row
              key={row.id}
              title={deviceOf(row.userAgent, t)}
              pills={isOwnSession(actor, row.id) && <Pill tone="good">{say('this one')}</Pill>}
              side={
                !isOwnSession(actor, row.id) && (
                  <Form {...end} className="inline" fields={{ id: personId, session: row.id }}>
                    <Submit
                      tone="plain"
                      of={say('the sign-in by {device}', { device: deviceOf(row.userAgent, t) })}
                    >
                      {say('End')}
                    </Submit>
                  </Form>
                )
              }
            >
              {row.name !== null && (
                <>
                  <Name>{row.name}</Name>
                  {' · '}
                </>
              )}
              <Say
                text="{where}, by {method} · seen {time}"
                values={{
                  where: row.kind === 'console' ? say('This console') : say('Applications'),
                  method: row.methodName,
                  time: <When at={row.lastSeenAt} />,
                }}
              />
              {row.ip && ` · ${row.ip}`}
            </Row>
          ))}
        </List>
      )}
      <div className="form-actions">
        <a className="button danger" href={personPath(personId, 'sign-out')}>
          {say('Sign them out everywhere…')}
        </a>
      </div>
    </Panel>
  );
}
