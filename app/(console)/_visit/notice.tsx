import { noticeOf } from '../_forms/notices.ts';

type NoticeProps = {
  done: string | undefined;
  /** what it was done to */
  about?: string | null;
  said?: (english: string) => string;
};

/** Says what the last form did; `done` is the id of a notice. */
export function Notice({ done, about = null, said = (english) => english }: NoticeProps) {
  const notice = noticeOf(done);
  if (notice === null) return null;
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
      {said(rest ?? notice)}
    </p>
  );
}
