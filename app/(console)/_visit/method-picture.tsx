// A picture of the service that a method leads to, where it is known by name: drawings of our own, in the colour of the
// text beside them. Hidden from screen readers, because the name of the method is beside it.
import type { ReactNode } from 'react';
import type { PresetName } from '#lib/registry/methods/broker/presets.ts';

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
  facebook: <path d="M9.5 20.5V8.5a4 4 0 0 1 4-4h2M6.5 11.5h8" />,
  linkedin: <path d="M5 10v9.5M5 4.5v1M10.5 19.5V10M10.5 14a4 4 0 0 1 8 0v5.5" />,
  discord: (
    <path d="M8 6c2.6-.7 5.4-.7 8 0 2.3 2.8 4 6.8 4.2 10.8-1.7 1.4-3.5 2-4.7 2.2l-1.3-2.2H9.8L8.5 19c-1.2-.2-3-.8-4.7-2.2C4 12.8 5.7 8.8 8 6zM9.3 12v.6M14.7 12v.6" />
  ),
  x: <path d="M5 5l14 14M19 5L5 19" />,
  adfs: <path d="M5 20.5v-15l8-2.5v17.5M13 9l6 2v9.5M3 20.5h18M9 8.5v.5M9 12.5v.5M9 16.5v.5" />,
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
