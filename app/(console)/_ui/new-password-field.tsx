'use client';

// The field of a new password: it can be shown, pasted into and filled by a password manager, and says while somebody types how
// strong it is. The rules themselves are the server's.
import { useEffect, useId, useState } from 'react';
import { TextField } from './fields.tsx';

/** `least`: characters, by the settings. */
export function NewPasswordField({ least, autoFocus = false }: { least: number; autoFocus?: boolean }) {
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState('');
  // without a script there is no button that does nothing
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
        label="New password"
        type={shown ? 'text' : 'password'}
        autoComplete="new-password"
        hint={`At least ${least} characters. A few words in a row are easy to remember and hard to guess.`}
        autoFocus={autoFocus}
      />
      <p className="hint new-password-help">
        {ready && (
          <button type="button" className="copy-button" onClick={() => setShown(!shown)}>
            {shown ? 'Hide' : 'Show'}
          </button>
        )}{' '}
        <output htmlFor={id}>{strengthInWords(typed, least)}</output>
      </p>
    </div>
  );
}

/** Of its length alone: what others use is looked up when it is saved. */
function strengthInWords(password: string, least: number): string {
  const { length } = [...password];
  if (length === 0) return '';
  if (length < least)
    return `${least - length} more ${least - length === 1 ? 'character' : 'characters'} needed`;
  if (new Set(password).size < 5) return 'Weak: the same characters again and again';
  if (length < 12) return 'Fair: another word makes it much stronger';
  return length < 16 ? 'Good' : 'Strong';
}
