'use client';

// A colour text field, with a picker if JavaScript runs.
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { TextField } from './fields.tsx';

const COLOUR = /^#[0-9a-f]{6}$/i;

/** `otherwise`: initial colour of the picker if no colour is chosen. */
export function ColourField({
  otherwise,
  ...field
}: ComponentProps<typeof TextField> & { otherwise: string }) {
  const say = useSay();
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(field.value ?? '');
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);

  function choose(colour: string) {
    const input = box.current?.querySelector<HTMLInputElement>(`input[name="${field.name}"]`);
    if (!input) return;
    input.value = colour;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  return (
    <div
      ref={box}
      className="colour"
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement && target.name === field.name) setText(target.value.trim());
      }}
    >
      <TextField {...field} maxLength={20} optional code />
      {scripted && (
        <input
          type="color"
          aria-label={say('Pick: {colour}', { colour: field.label })}
          value={COLOUR.test(text) ? text.toLowerCase() : otherwise}
          onChange={({ target }) => choose(target.value)}
        />
      )}
    </div>
  );
}
