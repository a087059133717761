import type { Refused } from '#lib/management/index.ts';
import { refusedAccess } from './access.ts';

/** Shown in the place of a page that was refused. */
export function Refusal({ error }: { error: Refused }) {
  const { heading, message } = refusedAccess(error);
  return (
    <div className="refusal">
      <h1>{heading}</h1>
      <p className="lead">{message}</p>
      <p>
        <a className="button plain" href="/account">
          Go to your account
        </a>
      </p>
    </div>
  );
}
