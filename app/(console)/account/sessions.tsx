import type { SessionListing } from '#lib/management/index.ts';
import { Form } from '../_ui/form.tsx';
import { List, Row } from '../_ui/list.tsx';
import { Panel, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';
import { deviceOf } from './device.ts';

type SessionsProps = { sessions: SessionListing[]; end: FormStart; endOthers: FormStart };

export function Sessions({ sessions, end, endOthers }: SessionsProps) {
  return (
    <Panel
      id="sessions"
      heading="Where you are signed in"
      lead="End what you do not know, then change your password."
      aside={
        sessions.length > 1 && (
          <Form {...endOthers} className="inline">
            <Submit tone="link">End all others</Submit>
          </Form>
        )
      }
    >
      <List label="Where you are signed in">
        {sessions.map((session) => (
          <Row
            key={session.id}
            title={deviceOf(session.userAgent)}
            pills={session.current && <Pill tone="good">this one</Pill>}
            side={
              !session.current && (
                <Form {...end} className="inline" fields={{ id: session.id }}>
                  <Submit tone="plain" of={`the sign-in by ${deviceOf(session.userAgent)}`}>
                    End
                  </Submit>
                </Form>
              )
            }
          >
            {session.kind === 'console' ? 'This console' : 'Applications'}, by {session.methodName} · signed
            in <When at={session.authTime} />, seen <When at={session.lastSeenAt} />
            {session.ip && ` · ${session.ip}`}
          </Row>
        ))}
      </List>
    </Panel>
  );
}
