import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { SessionRow } from '#lib/registry/objects/session.ts';
import { Form } from '../_ui/form.tsx';
import { List, Row } from '../_ui/list.tsx';
import { visitWords } from '../_ui/page-language.ts';
import { Panel, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import { withQuery } from '../_ui/with-query.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { deviceOf } from './device-name.ts';

type SessionsProps = { sessions: SessionRow[]; end: FormStart; endOthers: FormStart };

export async function Sessions({ sessions, end, endOthers }: SessionsProps) {
  const words = await visitWords();
  const { t, parts } = words;
  return (
    <Panel
      id="sessions"
      heading={t('my.sessions')}
      lead={`${t('my.sessions_lead')} ${t('my.device_choose')}`}
      aside={
        sessions.length > 1 && (
          <Form {...endOthers} className="inline">
            <Submit tone="link">{t('my.end_others')}</Submit>
          </Form>
        )
      }
    >
      <List label={t('my.sessions')}>
        {sessions.map((session) => (
          <Row
            key={session.id}
            href={withQuery('/account/device', { session: session.id })}
            title={<Name>{session.name ?? deviceOf(session.userAgent, t)}</Name>}
            pills={session.current && <Pill tone="good">{t('my.this_one')}</Pill>}
            side={
              !session.current && (
                <Form {...end} className="inline" fields={{ id: session.id }}>
                  <Submit
                    tone="plain"
                    of={t('my.of_sign_in', { device: session.name ?? deviceOf(session.userAgent, t) })}
                  >
                    {t('my.end')}
                  </Submit>
                </Form>
              )
            }
          >
            {session.name !== null && `${deviceOf(session.userAgent, t)} · `}
            <Sentence
              parts={parts(session.kind === 'console' ? 'my.session_console' : 'my.session_applications', {
                method: <bdi>{session.methodName}</bdi>,
                at: <When at={session.authTime} words={words} />,
                seen: <When at={session.lastSeenAt} words={words} />,
              })}
            />
            {session.ip && ` · ${session.ip}`}
          </Row>
        ))}
      </List>
    </Panel>
  );
}
