'use client';

// Several values of one field, one per line. With JavaScript the page checks each line during input.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { useFormState } from './form.tsx';
import { LinesField, RemoveButton } from './pairs-field.tsx';

type ListFieldProps = {
  name: string;
  label: string;
  /** name of one line, for example "redirect address" */
  each: string;
  hint?: ReactNode;
  values: readonly string[];
  placeholder?: string;
  /** with JavaScript, the placeholder depends on the value of the form field that `along` names */
  placeholders?: { along: string; by: Readonly<Record<string, string>> };
  meanwhile?: string | null | undefined;
  /**
   * address that checks a line; the request also contains the form fields named in `along`, which are separated by
   * spaces
   */
  check?: { href: string; along: string } | undefined;
  /** values that the browser suggests while a user types */
  suggestions?: readonly string[] | undefined;
};

export function ListField(props: ListFieldProps) {
  const { name, each, placeholder: usual, placeholders, check, suggestions = [], ...group } = props;
  const offered = useId();
  const { faults } = useFormState();
  const place = useRef<HTMLDivElement>(null);
  const [along, setAlong] = useState('');
  const placeholder = (placeholders && ownText(placeholders.by, along)) ?? usual;

  useEffect(() => {
    const form = place.current?.closest('form');
    if (!placeholders || !form) return undefined;
    const read = () => setAlong(String(new FormData(form).get(placeholders.along) ?? ''));
    read();
    form.addEventListener('change', read);
    return () => form.removeEventListener('change', read);
  }, [placeholders]);

  return (
    <div ref={place}>
      <LinesField
        {...group}
        each={each}
        empty=""
        spare={2}
        fault={faults[name]}
        line={({ value, index, remove }) => (
          <Line
            {...{ name, value, placeholder, check, remove }}
            list={suggestions.length > 0 ? offered : undefined}
            label={`${each} ${index + 1}`}
            fault={faults[`${name}.${index}`]}
          />
        )}
      />
      {suggestions.length > 0 && (
        <datalist id={offered}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </div>
  );
}

const ownText = (texts: Readonly<Record<string, string>>, key: string) =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

type LineProps = {
  name: string;
  value: string;
  placeholder: string | undefined;
  label: string;
  fault: string | undefined;
  check: ListFieldProps['check'];
  list: string | undefined;
  remove: (() => void) | null;
};

function Line({ name, value, placeholder, label, fault, check, list, remove }: LineProps) {
  const say = useSay();
  const id = useId();
  const [found, setFound] = useState<Found | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function checkSoon(input: HTMLInputElement) {
    if (!check) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void ask(check, input).then(setFound), 350);
  }

  function take(proposed: string) {
    if (input.current) input.current.value = proposed;
    setFound({ fault: '', proposed: null });
    input.current?.focus();
  }

  const shownFault = found?.fault ?? fault ?? '';
  const proposed = found?.proposed ?? null;
  return (
    <div className="line">
      <input
        ref={input}
        name={name}
        defaultValue={value}
        placeholder={placeholder}
        list={list}
        aria-label={label}
        aria-invalid={shownFault !== '' || undefined}
        aria-describedby={shownFault === '' ? undefined : `${id}-fault`}
        className="code"
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        autoComplete="off"
        onInput={(event) => checkSoon(event.currentTarget)}
      />
      <RemoveButton of={label} remove={remove} />
      <p className="fault" id={`${id}-fault`} aria-live="polite">
        {shownFault}
        {proposed !== null && (
          <>
            {' '}
            <button type="button" className="as-link" onClick={() => take(proposed)}>
              {say('Use {address}', { address: proposed })}
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/** Result of checking a line. `fault`: empty if the line is valid. */
type Found = { fault: string; proposed: string | null };

/** The fault of the line; null: there was no response. */
async function ask(
  check: NonNullable<ListFieldProps['check']>,
  input: HTMLInputElement,
): Promise<Found | null> {
  if (input.value === '') return { fault: '', proposed: null };
  const formData = new FormData(input.form ?? undefined);
  const along = check.along.split(' ').map((name) => [name, String(formData.get(name) ?? '')]);
  const query = new URLSearchParams([['value', input.value], ...along]);
  try {
    const response = await fetch(`${check.href}?${query}`, { headers: { accept: 'application/json' } });
    if (!response.ok) return null;
    const { fault, proposed } = (await response.json()) as { fault: string | null; proposed: string | null };
    return { fault: fault ?? '', proposed };
  } catch {
    return null;
  }
}
