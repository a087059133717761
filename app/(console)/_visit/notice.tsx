import { noticeOf } from '../_forms/notices.ts';

/** Says what the last form did; `done` is the id of a notice. */
export function Notice({ done }: { done: string | undefined }) {
  const notice = noticeOf(done);
  if (notice === null) return null;
  return (
    <p className="notice" role="status">
      {notice}
    </p>
  );
}
