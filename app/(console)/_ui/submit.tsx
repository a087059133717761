'use client';

import type { ReactNode } from 'react';
import { useFormState } from './form-state.ts';

export type SubmitTone = keyof typeof CLASSES;
type SubmitProps = {
  children: ReactNode;
  tone?: SubmitTone | undefined;
  name?: string;
  value?: string;
  /** the id of its form, where it is not inside of it */
  form?: string;
  /** words for screen readers, where several buttons have the same text */
  of?: string;
};

const CLASSES = {
  main: 'button',
  plain: 'button plain',
  danger: 'button danger',
  link: 'as-link',
} as const;

/** Does nothing while the form is being sent; its size does not change. */
export function Submit({ children, tone = 'main', name, value, form, of }: SubmitProps) {
  const { sending } = useFormState();
  return (
    <button
      type="submit"
      className={CLASSES[tone]}
      name={name}
      value={value}
      form={form}
      aria-disabled={sending}
    >
      {children}
      {of !== undefined && <span className="unseen"> {of}</span>}
    </button>
  );
}
