'use client';

// Several values under one name, one a line. With JavaScript each may be checked as it is typed.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useFormState } from './form-state.ts';
import { LinesField, RemoveButton } from './lines-field.tsx';

type ListFieldProps = {
  name: string;
  label: string;
  /** what one line is: "redirect address" */
  each: string;
  hint?: ReactNode;
  values: readonly string[];
  placeholder?: string;
  meanwhile?: string | null | undefined;
  /** the address that checks a line; the fields of the form named `along` are sent too */
  check?: { href: string; along: string } | undefined;
};

export function ListField({ name, each, placeholder, check, ...group }: ListFieldProps) {
  const { faults } = useFormState();
  return (
    <LinesField
      {...group}
      each={each}
      empty=""
      spare={2}
      fault={faults[name]}
      line={({ value, index, remove }) => (
        <Line
          {...{ name, value, placeholder, check, remove }}
          label={`${each} ${index + 1}`}
          fault={faults[`${name}.${index}`]}
        />
      )}
    />
  );
}

type LineProps = {
  name: string;
  value: string;
  placeholder: string | undefined;
  label: string;
  fault: string | undefined;
  check: ListFieldProps['check'];
  remove: (() => void) | null;
};

function Line({ name, value, placeholder, label, fault, check, remove }: LineProps) {
  const id = useId();
  const [found, setFound] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function checkSoon(input: HTMLInputElement) {
    if (!check) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void ask(check, input).then(setFound), 350);
  }

  const shown = found ?? fault ?? '';
  return (
    <div className="line">
      <input
        name={name}
        defaultValue={value}
        placeholder={placeholder}
        aria-label={label}
        aria-invalid={shown !== '' || undefined}
        aria-describedby={shown === '' ? undefined : `${id}-fault`}
        className="code"
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        autoComplete="off"
        onInput={(event) => checkSoon(event.currentTarget)}
      />
      <RemoveButton of={label} remove={remove} />
      <p className="fault" id={`${id}-fault`} aria-live="polite">
        {shown}
      </p>
    </div>
  );
}

/** What is wrong with the line: '' nothing, null: the check was not answered. */
async function ask(check: NonNullable<ListFieldProps['check']>, input: HTMLInputElement) {
  if (input.value === '') return '';
  const along = new FormData(input.form ?? undefined).get(check.along);
  const query = new URLSearchParams({ value: input.value, [check.along]: String(along ?? '') });
  try {
    const response = await fetch(`${check.href}?${query}`, { headers: { accept: 'application/json' } });
    if (!response.ok) return null;
    const { fault } = (await response.json()) as { fault: string | null };
    return fault ?? '';
  } catch {
    return null;
  }
}
