import type { Words } from '#lib/language/index.ts';
import { noticeOf } from '../_forms/notices.ts';

type NoticeProps = {
  done: string | undefined;
  /** what it was done to */
  about?: string | null;
  told: Words['told'];
};

/** Says what the last form did; `done` is the id of a notice. */
export function Notice({ done, about = null, told }: NoticeProps) {
  const found = noticeOf(done);
  if (found === null) return null;
  const notice = told(found);
  const [, what, rest] = (about !== null && /^(\w+)\. (.*)$/s.exec(notice)) || [];
  return (
    <p className="notice" role="status">
      {about !== null && (
        <>
          {what && `${what}: `}
          <bdi>{about}</bdi>
          {what ? '. ' : ': '}
        </>
      )}
      {rest ?? notice}
    </p>
  );
}
