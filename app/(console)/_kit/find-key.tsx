'use client';

// The `/` key moves the focus to the search field, unless the user is typing. Users can switch the key off (WCAG
// 2.1.4).
import { type ReactNode, useEffect, useState } from 'react';
import { useHasScript } from '../_texts/in-browser.tsx';

/** Key in local storage. Browsers have stored it since version 0.2.0. */
const OFF = 'inbox-keys-off';

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

export function FindKey() {
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (localStorage.getItem(OFF) !== null || document.querySelector('dialog[open]')) return;
      const field = document.querySelector<HTMLInputElement>('.console-find input[name="q"]');
      if (!field) return;
      event.preventDefault();
      // on phones the search field is inside a closed menu
      if (field.offsetParent === null) document.querySelector('.console-menu')?.setAttribute('open', '');
      field.focus();
      field.select();
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return null;
}

/** Checkbox that switches the key on or off. `children`: its label. */
export function FindKeyChoice({ children }: { children: ReactNode }) {
  const [isOn, setOn] = useState<boolean | null>(null);
  const hasScript = useHasScript();
  if (!hasScript) return null;
  return (
    <label className="soft">
      <input
        type="checkbox"
        checked={isOn ?? localStorage.getItem(OFF) === null}
        onChange={({ target }) => {
          if (target.checked) localStorage.removeItem(OFF);
          else localStorage.setItem(OFF, 'off');
          setOn(target.checked);
        }}
      />{' '}
      {children}
    </label>
  );
}
