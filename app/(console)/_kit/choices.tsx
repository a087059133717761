'use client';

// Radio buttons or checkboxes, each option with an explanation.
import { Fragment, type ReactNode, useId } from 'react';
import { Fault, Group } from './fields.tsx';
import { useFormState } from './form.tsx';

export type Option = { value: string; label: ReactNode; note?: ReactNode };
/** `below`: fields that are visible only if the option is selected, even without JavaScript. */
type ChoiceOption = Option & { below?: ReactNode; picture?: ReactNode };
type GroupProps = {
  name: string;
  label: string;
  hint?: ReactNode;
  options: readonly Option[];
};

type ChoiceProps = Omit<GroupProps, 'options'> & {
  options: readonly ChoiceOption[];
  value?: string | undefined;
  /** options with pictures, side by side if the width permits */
  pictured?: boolean;
};

export function Choice({ options, value, ...group }: ChoiceProps) {
  return (
    <Cards {...group}>
      {options.map((option) => (
        <Fragment key={option.value}>
          <Card option={option}>
            <input
              type="radio"
              name={group.name}
              value={option.value}
              defaultChecked={option.value === value}
              required
            />
          </Card>
          {option.below && <div className="choice-below">{option.below}</div>}
        </Fragment>
      ))}
    </Cards>
  );
}

type ChecksProps = GroupProps & { values: readonly string[] };

export function Checks({ options, values, ...group }: ChecksProps) {
  return (
    <Cards {...group}>
      {options.map((option) => (
        <Card key={option.value} option={option}>
          <input
            type="checkbox"
            name={group.name}
            value={option.value}
            defaultChecked={values.includes(option.value)}
          />
        </Card>
      ))}
    </Cards>
  );
}

type CheckProps = { name: string; label: ReactNode; note?: ReactNode; checked?: boolean };

/** A checkbox. Unticked, it sends no value. */
export function Check({ name, label, note, checked = false }: CheckProps) {
  return (
    <Card option={{ value: 'on', label, note }}>
      <input type="checkbox" name={name} value="on" defaultChecked={checked} />
    </Card>
  );
}

type CardsProps = Omit<GroupProps, 'options'> & { pictured?: boolean; children: ReactNode };

function Cards({ name, label, hint, pictured = false, children }: CardsProps) {
  const id = useId();
  const fault = useFormState().faults[name];
  return (
    <Group {...{ id, label, hint }}>
      <div className={pictured ? 'cards pictured' : 'cards'}>{children}</div>
      <Fault id={id} fault={fault} />
    </Group>
  );
}

function Card({ option, children }: { option: ChoiceOption; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the first child
    <label className="choice">
      {children}
      {option.picture}
      <span>
        <span className="choice-label">{option.label}</span>
        {option.note && <span className="choice-note">{option.note}</span>}
      </span>
    </label>
  );
}
