'use client';

// A textarea that keeps what somebody has typed before the scripts came.
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react';

/** While React takes a page over it sets a textarea back to its first text; an input it leaves alone. */
export function EarlyTextArea(props: ComponentProps<'textarea'> & { id: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [early] = useState(() => ({ text: textOf(props.id) }));
  useLayoutEffect(() => {
    const { current } = area;
    const { text } = early;
    // once: an effect may run again, after more was typed
    early.text = null;
    if (current === null || text === null || text === current.defaultValue) return;
    current.value = text;
    // whoever listens has heard of nothing yet, though React may have left the text alone
    current.dispatchEvent(new Event('input', { bubbles: true }));
  }, [early]);
  return <textarea {...props} ref={area} />;
}

/** What is in the textarea that the server has sent; null: there is none yet. */
function textOf(id: string): string | null {
  if (typeof document === 'undefined') return null;
  const found = document.getElementById(id);
  return found instanceof HTMLTextAreaElement ? found.value : null;
}
