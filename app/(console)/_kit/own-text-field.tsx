'use client';

// Field for a custom text. It displays the default text while it is empty, and the number of characters left.
import { type ReactNode, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { EarlyTextArea, useEntry } from './fields.tsx';

type OwnTextFieldProps = {
  name: string;
  label: string;
  value: string;
  /** the default text of the service */
  otherwise: string;
  /** names the placeholders that the text must contain */
  hint?: string | undefined;
  longest: number;
  language: string;
  /** button that restores the default text */
  children?: ReactNode;
};

export function OwnTextField(props: OwnTextFieldProps) {
  const { name, label, value, otherwise, hint, longest, language, children } = props;
  const say = useSay();
  const [length, setLength] = useState(value.length);
  const left = longest - length;
  const { id, fault, aria } = useEntry(name, true);
  return (
    <div className="entry">
      <label htmlFor={id}>{label}</label>
      <EarlyTextArea
        id={id}
        name={name}
        rows={longest > 100 ? 3 : 1}
        maxLength={longest}
        placeholder={otherwise}
        defaultValue={value}
        lang={language}
        dir="auto"
        onInput={({ currentTarget }) => setLength(currentTarget.value.length)}
        {...aria}
      />
      <p className="hint" id={`${id}-hint`}>
        {hint} {say('Characters left: {count}', { count: left })}
      </p>
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {children}
    </div>
  );
}
