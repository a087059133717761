'use client';

import type { ReactNode } from 'react';
import { Entry, useEntry } from './fields.tsx';

type Options = readonly (readonly [value: string, label: string])[];

type SelectFieldProps = {
  name: string;
  label: string;
  /** one that is no option is offered as it is: it was chosen elsewhere */
  value: string;
  /** those of a group without a name come before the others */
  groups: readonly (readonly [name: string, options: Options])[];
  hint?: ReactNode;
};

/** One of many. The browser finds an option as one types, without a script too. */
export function SelectField({ name, label, value, groups, hint }: SelectFieldProps) {
  const { id, fault, aria } = useEntry(name, hint);
  const isKnown = groups.some(([, options]) => options.some(([one]) => one === value));
  return (
    <Entry {...{ id, label, hint, fault }}>
      <select id={id} name={name} defaultValue={value} {...aria}>
        {!isKnown && (
          <option value={value} translate="no">
            {value}
          </option>
        )}
        {groups.map(([group, options]) => {
          const items = options.map(([one, text]) => (
            // names are the same in every language
            <option key={one} value={one} translate={one === '' ? undefined : 'no'}>
              {text}
            </option>
          ));
          return group === '' ? (
            items
          ) : (
            <optgroup key={group} label={group}>
              {items}
            </optgroup>
          );
        })}
      </select>
    </Entry>
  );
}
