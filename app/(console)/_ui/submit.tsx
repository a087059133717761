'use client';

import type { ReactNode } from 'react';
import { useFormState } from './form-state.ts';

export type SubmitTone = keyof typeof CLASSES;
type SubmitProps = {
  children: ReactNode;
  tone?: SubmitTone | undefined;
  name?: string;
  value?: string;
  /** what a screen reader needs to hear besides, where several buttons read the same */
  of?: string;
};

const CLASSES = {
  main: 'button',
  plain: 'button plain',
  danger: 'button danger',
  link: 'as-link',
} as const;

/** Keeps its width and place while the form is on its way; a second press does nothing. */
export function Submit({ children, tone = 'main', name, value, of }: SubmitProps) {
  const { sending } = useFormState();
  return (
    <button type="submit" className={CLASSES[tone]} name={name} value={value} aria-disabled={sending}>
      {children}
      {of !== undefined && <span className="unseen"> {of}</span>}
    </button>
  );
}
