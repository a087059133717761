import { noticeOf } from '../_forms/notices.ts';

/** Says what the form before did; `done` is the id of a notice. */
export function Notice({ done }: { done: string | undefined }) {
  const notice = noticeOf(done);
  if (notice === null) return null;
  return (
    <p className="notice" role="status">
      {notice}
    </p>
  );
}
