'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';

/** What can be done for so many seconds. Without a script it stays, and so it does where the focus is: it says so. */
export function InTime({ seconds, children }: { seconds: number; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!place.current?.contains(document.activeElement)) setOver(true);
    }, seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return isOver ? null : <div ref={place}>{children}</div>;
}
