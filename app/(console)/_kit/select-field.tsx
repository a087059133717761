'use client';

import type { ReactNode } from 'react';
import { Entry, useEntry } from './fields.tsx';

type Options = readonly (readonly [value: string, label: string])[];

type SelectFieldProps = {
  name: string;
  label: string;
  /** if another source has set an unknown value, the list also contains this value, unchanged */
  value: string;
  /** groups of options; the group with an empty name comes first */
  groups: readonly (readonly [name: string, options: Options])[];
  hint?: ReactNode;
};

/** A select field: typing selects an option, even without JavaScript. */
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
            // options are proper names, so browsers must not translate them
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
