import type { Refused } from '#lib/management/index.ts';
import { sentence } from '../_forms/respond.ts';

const HEADINGS: Partial<Record<Refused['kind'], string>> = {
  forbidden: 'You may not see this',
  'not-found': 'It is not there',
  'slow-down': 'Too fast',
};

/** A page that may not be shown, in the place where it would stand. */
export function Refusal({ error }: { error: Refused }) {
  return (
    <div className="refusal">
      <h1>{HEADINGS[error.kind] ?? 'This cannot be shown'}</h1>
      <p className="lead">{sentence(error.message)}</p>
      <p>
        <a className="button plain" href="/account">
          Go to your account
        </a>
      </p>
    </div>
  );
}
