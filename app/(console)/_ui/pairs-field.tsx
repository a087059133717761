'use client';

// Rows of a name and a description.
import { type ReactNode, useId } from 'react';
import type { Pair } from '../_forms/fields.ts';
import { useFormState } from './form-state.ts';
import { LinesField, RemoveButton } from './lines-field.tsx';

type PairsFieldProps = {
  label: string;
  each: string;
  hint?: ReactNode;
  /** the inputs are `<name>.name` and `<name>.description`; faults come as `<name>.<row>.name` and `.description` */
  name: string;
  values: readonly Pair[];
  placeholders: Pair;
  /** each row's third field, `<name>.required_acr`, by its values */
  strengths?: Readonly<Record<string, { label: string }>> | undefined;
  meanwhile?: string | undefined;
};

const NOTHING: Pair = { name: '', description: '' };

export function PairsField({ name, each, placeholders, strengths, ...group }: PairsFieldProps) {
  return (
    <LinesField
      {...group}
      each={each}
      empty={NOTHING}
      spare={3}
      line={(line) => <Row {...line} {...{ name, each, placeholders, strengths }} />}
    />
  );
}

type RowProps = Pick<PairsFieldProps, 'name' | 'each' | 'placeholders' | 'strengths'> & {
  value: Pair;
  index: number;
  remove: (() => void) | null;
};

function Row({ value, index, name, each, placeholders, strengths, remove }: RowProps) {
  const id = useId();
  const { faults } = useFormState();
  const wrong = {
    name: faults[`${name}.${index}.name`],
    description: faults[`${name}.${index}.description`],
  };
  const fault = wrong.name ?? wrong.description;
  const input = (part: 'name' | 'description', what: string) => ({
    name: `${name}.${part}`,
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
      {strengths && (
        <select
          name={`${name}.required_acr`}
          defaultValue={value.required_acr ?? ''}
          aria-label={`${each} ${index + 1}, strength`}
        >
          {Object.entries(strengths).map(([acr, { label }]) => (
            <option key={acr} value={acr}>
              {label}
            </option>
          ))}
        </select>
      )}
      <RemoveButton of={`${each} ${index + 1}`} remove={remove} />
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
