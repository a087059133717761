// What few applications need: closed, but where the form came back with something in it.
import type { ReactNode } from 'react';
import { say } from '../_texts/say.tsx';
import type { FormValues } from '../_visit/form-values.ts';

type Props = {
  /** of the fields in it */
  names: readonly string[];
  typed: FormValues;
  /** what they hold without a draft */
  stored: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, string>>;
  children: ReactNode;
};

export function Advanced({ names, typed, stored, faults, children }: Props) {
  const isWrong = Object.keys(faults).some((field) => names.includes(field.split('.')[0] ?? field));
  const isTyped = names.some((name) => {
    const given = typed.typed.all(name).filter((value) => value !== '');
    return given.length > 0 && given.join() !== textOf(stored[name]);
  });
  return (
    <details className="advanced" open={isWrong || isTyped}>
      <summary>{say('Advanced')}</summary>
      <div className="form">{children}</div>
    </details>
  );
}

/** As the form sends it. */
const textOf = (value: unknown): string => (value === true ? 'on' : String(value ?? ''));
