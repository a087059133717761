// A picture of each place that an application may run in, beside its words.
import type { ReactNode } from 'react';
import type { RunKind } from './run-kinds.ts';

const LINES: Record<RunKind, ReactNode> = {
  confidential: (
    <>
      <rect x="8" y="5" width="32" height="11" rx="2.5" />
      <rect x="8" y="19.5" width="32" height="11" rx="2.5" />
      <path d="M14 10.5h.01M19 10.5h.01M14 25h.01M19 25h.01M28 10.5h6M28 25h6M24 30.5V37M15 37h18" />
    </>
  ),
  browser: (
    <>
      <rect x="5" y="6" width="38" height="30" rx="3" />
      <path d="M5 14.5h38M10 10.3h.01M14.5 10.3h.01M19 10.3h.01M18 21l-5 4.5 5 4.5M30 21l5 4.5-5 4.5M26 20l-4 11" />
    </>
  ),
  native: (
    <>
      <rect x="6" y="8" width="26" height="18" rx="2.5" />
      <path d="M14 33h8M19 26v7" />
      <rect x="28" y="14" width="14" height="24" rx="3" className="over" />
      <path d="M33.5 33.5h3" />
    </>
  ),
  background: (
    <>
      <path d="M38 21a14 14 0 1 1-4.6-10.4" />
      <path d="M34 4.5v6.5h-6.5" />
      <path d="M24 13.5V21l5 3.5" />
    </>
  ),
};

export function KindPicture({ of }: { of: RunKind }) {
  return (
    <svg
      className="kind-picture"
      viewBox="0 0 48 42"
      width="48"
      height="42"
      aria-hidden="true"
      focusable="false"
    >
      {LINES[of]}
    </svg>
  );
}
