'use client';

// A text, and below it the same in other languages, one a line. Without JavaScript it is the same.
import { useState } from 'react';
import { faultInLines, type TypedText } from '../_forms/texts.ts';
import { useSay } from '../_texts/in-browser.tsx';
import { TextArea, TextField } from '../_ui/fields.tsx';
import { FormState, useFormState } from '../_ui/form-state.ts';

type TextsFieldProps = {
  name: string;
  label: string;
  hint?: string | undefined;
  optional: boolean;
  maxLength?: number;
  /** is it typed in several lines? */
  long: boolean;
  /** the label of the lines */
  others: string;
  value: TypedText;
  meanwhile: { first?: string | undefined; lines?: string | undefined };
};

/** What is wrong with the lines, with the number of the line. */
export function useFaultInLines(typed: string, faults: (readonly [string, string])[]): string | undefined {
  const say = useSay();
  const found = faultInLines(typed, Object.fromEntries(faults));
  return found && (found.line === 0 ? found.fault : say('Line {line}: {fault}', found));
}

export function TextsField(props: TextsFieldProps) {
  const { name, label, hint, optional, maxLength, long, others, value, meanwhile } = props;
  const say = useSay();
  const state = useFormState();
  const lines = `${name}.texts`;
  // as sent, so that a fault names the line that it had then
  const [typed, setTyped] = useState(value.lines);
  const within = Object.entries(state.faults)
    .filter(([field]) => field.startsWith(`${name}.`))
    .map(([field, fault]) => [field.slice(name.length + 1), fault] as const);
  const own = state.faults[name] ?? within.find(([tag]) => tag === value.language)?.[1];
  const inLines = useFaultInLines(
    typed,
    within.filter(([tag]) => tag !== value.language),
  );
  // a field shows all faults below its name
  const only = (field: string, fault: string | undefined) => ({
    ...state,
    faults: fault ? { [field]: fault } : {},
  });
  const entry = { name, label, hint, optional, value: value.first, meanwhile: meanwhile.first };
  const limit = maxLength === undefined ? {} : { maxLength };
  return (
    <>
      <FormState value={only(name, own)}>
        {long ? <TextArea {...entry} {...limit} /> : <TextField {...entry} {...limit} autoComplete="off" />}
      </FormState>
      {value.language !== '' && <input type="hidden" name={`${name}.language`} value={value.language} />}
      <FormState value={only(lines, inLines)}>
        <div onInput={(event) => setTyped((event.target as HTMLTextAreaElement).value)}>
          <TextArea
            name={lines}
            label={others}
            hint={say('One a line, with the language before it.')}
            placeholder="de: …"
            optional
            rows={2}
            value={value.lines}
            meanwhile={meanwhile.lines}
          />
        </div>
      </FormState>
    </>
  );
}
