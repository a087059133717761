'use client';

// A textarea that keeps what was typed and selected before the scripts came.
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react';

/** While React takes a page over it sets a textarea back to its first text, caret and all, but never an input. */
export function EarlyTextArea(props: ComponentProps<'textarea'> & { id: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [early] = useState(() => ({ was: stateOf(props.id) }));
  useLayoutEffect(() => {
    const { current } = area;
    const { was } = early;
    // once: an effect may run again, after more was typed
    early.was = null;
    if (current === null || was === null) return;
    if (was.text !== current.defaultValue) {
      current.value = was.text;
      // listeners have heard of nothing yet, though React may have kept the text
      current.dispatchEvent(new Event('input', { bubbles: true }));
    }
    // setting a selection may take the focus
    if (document.activeElement === current) current.setSelectionRange(was.from, was.to, was.direction);
  }, [early]);
  return <textarea {...props} ref={area} />;
}

/** Text and selection of the textarea that the server has sent; null: there is none yet. */
function stateOf(id: string) {
  if (typeof document === 'undefined') return null;
  const found = document.getElementById(id);
  if (!(found instanceof HTMLTextAreaElement)) return null;
  const { value: text, selectionStart: from, selectionEnd: to, selectionDirection: direction } = found;
  return { text, from, to, direction };
}
