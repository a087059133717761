'use client';

// Rows of a name and a description.
import { type ReactNode, useId, useState } from 'react';
import type { Pair } from '../_forms/fields.ts';
import { useSay } from '../_texts/in-browser.tsx';
import { useFormState } from '../_ui/form-state.ts';
import { LinesField, RemoveButton } from '../_ui/lines-field.tsx';
import { EarlyTextArea } from '../_ui/text-area.tsx';
import { useFaultInLines } from './texts-field.tsx';

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
  /** each row's `<name>.groups`: ids of groups */
  inGroups?: boolean | undefined;
  /** faults come as `<name>.<what was typed as name>…`, and are shown below all rows */
  byName?: boolean;
  /** each row's `<name>.texts`: its description in other languages */
  inLanguages?: boolean | undefined;
  meanwhile?: string | undefined;
};

const NOTHING: Pair = { name: '', description: '' };

export function PairsField(props: PairsFieldProps) {
  const { name, each, placeholders, strengths, inGroups, inLanguages, byName = false, ...group } = props;
  const { faults } = useFormState();
  const within = Object.keys(faults).find((key) => key === name || key.startsWith(`${name}.`));
  return (
    <LinesField
      {...group}
      fault={byName && within ? faults[within] : undefined}
      each={each}
      empty={NOTHING}
      spare={3}
      line={(line) => <Row {...line} {...{ name, each, placeholders, strengths, inGroups, inLanguages }} />}
    />
  );
}

type RowProps = Pick<
  PairsFieldProps,
  'name' | 'each' | 'placeholders' | 'strengths' | 'inGroups' | 'inLanguages'
> & {
  value: Pair;
  index: number;
  remove: (() => void) | null;
};

function Row({ value, index, remove, ...of }: RowProps) {
  const { name, each, placeholders, strengths, inGroups, inLanguages } = of;
  const say = useSay();
  const id = useId();
  const { faults } = useFormState();
  const { language = '', texts = '' } = value;
  // as sent, so that a fault names the line that it had then
  const [typed, setTyped] = useState(texts);
  const description = `${name}.${index}.description`;
  const byTag = Object.entries(faults)
    .filter(([field]) => field.startsWith(`${description}.`))
    .map(([field, said]) => [field.slice(description.length + 1), said] as const);
  const ofOthers = byTag.filter(([tag]) => tag !== language);
  const wrong = {
    name: faults[`${name}.${index}.name`],
    description: faults[description] ?? byTag.find(([tag]) => tag === language)?.[1],
    texts: useFaultInLines(typed, ofOthers),
    groups: Object.entries(faults).find(([field]) => field.startsWith(`${name}.${index}.groups`))?.[1],
  };
  const fault = wrong.name ?? wrong.description ?? wrong.texts ?? wrong.groups;
  const row = { each, number: index + 1 };
  const input = (part: 'name' | 'description' | 'texts' | 'groups', label: string) => ({
    name: `${name}.${part}`,
    defaultValue: value[part],
    placeholder: {
      ...placeholders,
      texts: 'de: Ihre Bestellungen sehen',
      groups: say('Groups that may have it; none: everybody'),
    }[part],
    'aria-label': label,
    'aria-invalid': wrong[part] !== undefined || undefined,
    'aria-describedby': wrong[part] === undefined ? undefined : `${id}-fault`,
  });
  return (
    <div className="line pair-line">
      <input
        {...input('name', say('{each} {number}, name', row))}
        className="code"
        spellCheck={false}
        autoCapitalize="none"
      />
      <input {...input('description', say('{each} {number}, description', row))} />
      {strengths && (
        <select
          name={`${name}.required_acr`}
          defaultValue={value.required_acr ?? ''}
          aria-label={say('{each} {number}, strength', row)}
        >
          {Object.entries(strengths).map(([acr, { label }]) => (
            <option key={acr} value={acr}>
              {label}
            </option>
          ))}
        </select>
      )}
      <RemoveButton of={`${each} ${index + 1}`} remove={remove} />
      {inGroups && (
        <input
          {...input('groups', say('{each} {number}, groups', row))}
          className="code below"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
        />
      )}
      {inLanguages && (
        <>
          <EarlyTextArea
            {...input('texts', say('{each} {number}, translated', row))}
            id={`${id}-texts`}
            rows={1}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <input type="hidden" name={`${name}.language`} value={language} />
        </>
      )}
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
