// A picture of the service that a method leads to, where it is known by name: drawings of our own, in the colour of the
// text beside them. Hidden from screen readers, because the name of the method is beside it.
import type { ReactNode } from 'react';
import type { PresetName } from '#lib/registry/index.ts';

const DRAWN: Record<PresetName, ReactNode> = {
  google: <path d="M12.5 12H20a8 8 0 1 1-2.34-5.66" />,
  microsoft: <path className="filled" d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />,
  apple: (
    <path d="M12 8.5c-1.3-1-2.6-1.3-3.8-1-2.6.6-3.7 2.9-3.4 5.7.4 3.5 2.4 6.8 4.6 6.8 1 0 1.6-.5 2.6-.5s1.6.5 2.6.5c2.2 0 4.2-3.3 4.6-6.8.3-2.8-.8-5.1-3.4-5.7-1.2-.3-2.5 0-3.8 1zm0 0c0-2.5 1.1-4.3 3.2-5" />
  ),
  github: (
    <path d="M5 4.5l3.3 2.2a10 10 0 0 1 7.4 0L19 4.5v5.6c.7 1 1 2 1 3.1 0 4-3.6 6.3-8 6.3s-8-2.3-8-6.3c0-1.1.3-2.1 1-3.1zM9.2 12.5v1.5M14.8 12.5v1.5" />
  ),
  gitlab: <path d="M12 20.5L3 13.5 6 4.5l3 6h6l3-6 3 9zM9 10.5l3 10 3-10" />,
};

export function MethodPicture({ of }: { of: PresetName | null }) {
  if (of === null) return null;
  return (
    <svg
      className="method-picture"
      viewBox="0 0 24 24"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
    >
      {DRAWN[of]}
    </svg>
  );
}
