'use client';

// What a form and its fields share: whether it is on its way, and what was wrong with which field.
import { createContext, useContext } from 'react';

export type Faults = Readonly<Record<string, string>>;
type FormState = { readonly sending: boolean; readonly faults: Faults };

export const FormState = createContext<FormState>({ sending: false, faults: {} });

export function useFormState(): FormState {
  return useContext(FormState);
}
