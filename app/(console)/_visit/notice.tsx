import { noticeOf } from '../_forms/notices.ts';

type NoticeProps = { done: string | undefined; said?: (english: string) => string };

/** Says what the last form did; `done` is the id of a notice. */
export function Notice({ done, said = (english) => english }: NoticeProps) {
  const notice = noticeOf(done);
  if (notice === null) return null;
  return (
    <p className="notice" role="status">
      {said(notice)}
    </p>
  );
}
