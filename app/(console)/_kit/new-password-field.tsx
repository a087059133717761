'use client';

// New password field: shows passwords, supports paste and password managers, and displays strength during input. The
// server enforces the rules.
import { useEffect, useId, useState } from 'react';
import type { NewPasswordWords } from '#app/_components/sign-in-parts.tsx';
import { TextField } from './fields.tsx';

type NewPasswordProps = { label: string; hint: string; words: NewPasswordWords };

export function NewPasswordField({ label, hint, words }: NewPasswordProps) {
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState('');
  // the button needs the script, so it is shown only after the script has started
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const id = useId();
  return (
    <div
      className="new-password"
      id={id}
      onInput={({ target }) => setTyped((target as HTMLInputElement).value)}
    >
      <TextField
        name="password"
        label={label}
        type={shown ? 'text' : 'password'}
        autoComplete="new-password"
        hint={hint}
      />
      <p className="hint new-password-help">
        {ready && (
          <button type="button" className="copy-button" onClick={() => setShown(!shown)}>
            {shown ? words.hide : words.show}
          </button>
        )}{' '}
        <output htmlFor={id}>{strengthInWords(typed, words)}</output>
      </p>
    </div>
  );
}

/** Rates only the length: the check for common passwords happens when the form is saved. */
function strengthInWords(password: string, { more, weak, fair, good, strong }: NewPasswordWords): string {
  const { length } = [...password];
  const least = more.length - 1;
  if (length === 0) return '';
  if (length < least) return more[least - length] ?? '';
  if (new Set(password).size < 5) return weak;
  if (length < 12) return fair;
  return length < 16 ? good : strong;
}
