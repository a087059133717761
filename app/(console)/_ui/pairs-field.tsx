'use client';

// Rows of a name and a description. Without JavaScript there are empty rows to fill in; with it they come and go.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Meanwhile } from './fields.tsx';
import { useFormState } from './form-state.ts';

type Pair = { name: string; description: string };
type PairsFieldProps = {
  label: string;
  each: string;
  hint?: ReactNode;
  /** the fields' names; faults come as `<faults>.<row>.name` and `.description` */
  names: { name: string; description: string; faults: string };
  values: readonly Pair[];
  placeholders: Pair;
  meanwhile?: string | undefined;
};

const SPARE = 3;
const NOTHING: Pair = { name: '', description: '' };

export function PairsField({ label, each, hint, names, values, placeholders, meanwhile }: PairsFieldProps) {
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const [scripted, setScripted] = useState(false);
  const [rows, setRows] = useState(() =>
    [...values, ...Array<Pair>(SPARE).fill(NOTHING)].map((value, key) => ({ key, value })),
  );
  const next = useRef(rows.length);

  useEffect(() => {
    setScripted(true);
    setRows((all) => all.slice(0, Math.max(1, values.length)));
  }, [values.length]);

  function add() {
    next.current += 1;
    setRows((all) => [...all, { key: next.current, value: NOTHING }]);
    requestAnimationFrame(() => {
      const lines = group.current?.querySelectorAll('.pair-line');
      lines?.[lines.length - 1]?.querySelector('input')?.focus();
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
        {rows.map(({ key, value }, index) => (
          <Row
            key={key}
            {...{ value, index, each, names, placeholders }}
            remove={
              scripted && rows.length > 1
                ? () => setRows((all) => all.filter((row) => row.key !== key))
                : null
            }
          />
        ))}
      </div>
      <Meanwhile value={meanwhile} />
      {scripted && (
        <button type="button" className="button plain small" onClick={add}>
          Add another {each}
        </button>
      )}
    </fieldset>
  );
}

type RowProps = Pick<PairsFieldProps, 'each' | 'names' | 'placeholders'> & {
  value: Pair;
  index: number;
  remove: (() => void) | null;
};

function Row({ value, index, each, names, placeholders, remove }: RowProps) {
  const id = useId();
  const { faults } = useFormState();
  const wrong = {
    name: faults[`${names.faults}.${index}.name`],
    description: faults[`${names.faults}.${index}.description`],
  };
  const fault = wrong.name ?? wrong.description;
  const input = (part: 'name' | 'description', what: string) => ({
    name: names[part],
    defaultValue: value[part],
    placeholder: placeholders[part],
    'aria-label': `${each} ${index + 1}, ${what}`,
    'aria-invalid': wrong[part] !== undefined || undefined,
    'aria-describedby': wrong[part] === undefined ? undefined : `${id}-fault`,
  });
  return (
    <div className="line pair-line">
      <input {...input('name', 'name')} className="code" spellCheck={false} autoCapitalize="none" />
      <input {...input('description', 'description')} />
      {remove && (
        <button type="button" className="button quiet small" onClick={remove}>
          Remove
          <span className="unseen">
            {' '}
            {each} {index + 1}
          </span>
        </button>
      )}
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
