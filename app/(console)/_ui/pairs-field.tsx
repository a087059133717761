'use client';

// Rows of a name and a description.
import { type ReactNode, useId } from 'react';
import { useFormState } from './form-state.ts';
import { LinesField, RemoveButton } from './lines-field.tsx';

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

const NOTHING: Pair = { name: '', description: '' };

export function PairsField({ each, names, placeholders, ...group }: PairsFieldProps) {
  return (
    <LinesField
      {...group}
      each={each}
      empty={NOTHING}
      spare={3}
      line={(line) => <Row {...line} {...{ each, names, placeholders }} />}
    />
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
      <RemoveButton of={`${each} ${index + 1}`} remove={remove} />
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
