import type { Words } from '#lib/language/words.ts';
import { UNDO_SECONDS } from '#lib/management/subscriptions/undo-decision.ts';
import { noticeOf } from '../_forms/notices.ts';
import type { Telling } from '../_forms/told-once.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { InTime } from '../_ui/in-time.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormStart } from './start-form.ts';

type NoticeProps = {
  done: string | undefined;
  /** what it was done to */
  about?: Telling['about'];
  problems?: Telling['problems'];
  undo?: { fields: NonNullable<Telling['undo']>; start: FormStart; secondsAgo: number } | undefined;
  told: Words['told'];
};

/** Says what the last form did, and what not; `done` is the id of a notice. */
export function Notice({ done, about = null, problems = [], undo, told }: NoticeProps) {
  const found = noticeOf(done);
  if (found === null) return null;
  const notice = told(found);
  const name = about === null || typeof about === 'string' ? about : told(about);
  const [, what, rest] = (name !== null && /^([\p{L}\p{M}]+)[.。] ?(.*)$/su.exec(notice)) || [];
  const text = (
    <>
      {name !== null && (
        <>
          {what && `${what}: `}
          <bdi>{name}</bdi>
          {what ? '. ' : ': '}
        </>
      )}
      {rest ?? notice}
    </>
  );
  if (problems.length === 0 && !undo)
    return (
      <p className="notice" role="status">
        {text}
      </p>
    );
  return (
    <div className="notice" role="status">
      <p>{text}</p>
      {problems.length > 0 && (
        <div className="notice-problems">
          <p>{say('Not decided:')}</p>
          <ul>
            {problems
              .map(({ of, why }) => (of === undefined ? told(why) : `${of}: ${told(why)}`))
              .map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
          </ul>
        </div>
      )}
      {undo && (
        <InTime seconds={Math.max(1, UNDO_SECONDS - undo.secondsAgo)}>
          <Form {...undo.start} label={say('Undo')}>
            {undo.fields.map(([name, value]) => (
              <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
            ))}
            <Submit tone="plain">{say('Undo')}</Submit>
          </Form>
        </InTime>
      )}
    </div>
  );
}
