'use client';

// Several values of one kind under one name. Without JavaScript there are empty lines to fill in; with it, lines come and
// go by a button, and each may be checked as it is typed.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Fault, Meanwhile } from './fields.tsx';
import { useFormState } from './form-state.ts';

type ListFieldProps = {
  name: string;
  label: string;
  /** what one line is: "redirect address" */
  each: string;
  hint?: ReactNode;
  values: readonly string[];
  placeholder?: string;
  meanwhile?: string | null | undefined;
  /** the address that says what is wrong with a line; the other fields of the form named here go along */
  check?: { href: string; along: string };
};

const SPARE = 2;

export function ListField({
  name,
  label,
  each,
  hint,
  values,
  placeholder,
  meanwhile,
  check,
}: ListFieldProps) {
  const id = useId();
  const { faults } = useFormState();
  const group = useRef<HTMLFieldSetElement>(null);
  const [scripted, setScripted] = useState(false);
  const [lines, setLines] = useState(() =>
    [...values, ...Array(SPARE).fill('')].map((value: string, key) => ({ key, value })),
  );
  const next = useRef(lines.length);

  // with a script, one empty line is enough to start with
  useEffect(() => {
    setScripted(true);
    setLines((all) => all.slice(0, Math.max(1, values.length)));
  }, [values.length]);

  function add() {
    next.current += 1;
    setLines((all) => [...all, { key: next.current, value: '' }]);
    requestAnimationFrame(() => {
      const inputs = group.current?.querySelectorAll('input');
      inputs?.[inputs.length - 1]?.focus();
    });
  }

  return (
    <fieldset className="group" ref={group} aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend>{label}</legend>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div className="lines">
        {lines.map(({ key, value }, index) => (
          <Line
            key={key}
            {...{ name, value, placeholder, check }}
            label={`${each} ${index + 1}`}
            fault={faults[`${name}.${index}`]}
            remove={
              scripted && lines.length > 1
                ? () => setLines((all) => all.filter((line) => line.key !== key))
                : null
            }
          />
        ))}
      </div>
      <Fault id={id} fault={faults[name]} />
      <Meanwhile value={meanwhile} />
      {scripted && (
        <button type="button" className="button plain small" onClick={add}>
          Add another {each}
        </button>
      )}
    </fieldset>
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
      {remove && (
        <button type="button" className="button quiet small" onClick={remove}>
          Remove<span className="unseen"> {label}</span>
        </button>
      )}
      <p className="fault" id={`${id}-fault`} aria-live="polite">
        {shown}
      </p>
    </div>
  );
}

/** What is wrong with the line; an empty text where nothing is, null where nobody could say. */
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
