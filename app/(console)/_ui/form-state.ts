'use client';

// What a form tells its fields: whether it is being sent, and the fault of each.
import { createContext, useContext } from 'react';

export type Faults = Readonly<Record<string, string>>;
type FormState = { readonly sending: boolean; readonly faults: Faults };

export const FormState = createContext<FormState>({ sending: false, faults: {} });

export function useFormState(): FormState {
  return useContext(FormState);
}
