'use client';

// Fields with several lines: a group of lines, rows with name and description, and texts in several languages.
// Without JavaScript they show a few empty lines.
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { EarlyTextArea, Fault, Group, Meanwhile, TextArea, TextField } from './fields.tsx';
import { FormState, useFormState } from './form.tsx';
import type { Pair } from './posted.ts';
import { faultInLines, type TypedText } from './typed-texts.ts';

// A text with translations below, one per line. Works without JavaScript.

type TextsFieldProps = {
  name: string;
  label: string;
  hint?: string | undefined;
  optional: boolean;
  maxLength?: number;
  /** true: the texts have several lines */
  long: boolean;
  /** label of the lines with translations */
  others: string;
  value: TypedText;
  meanwhile: { first?: string | undefined; lines?: string | undefined };
};

/** Returns the fault of a line, with the line number in front. */
function useFaultInLines(typed: string, faults: (readonly [string, string])[]): string | undefined {
  const say = useSay();
  const lineFault = faultInLines(typed, Object.fromEntries(faults));
  return lineFault && (lineFault.line === 0 ? lineFault.fault : say('Line {line}: {fault}', lineFault));
}

export function TextsField(props: TextsFieldProps) {
  const { name, label, hint, optional, maxLength, long, others, value, meanwhile } = props;
  const say = useSay();
  const state = useFormState();
  const lines = `${name}.texts`;
  // the text that was submitted, so that line numbers in faults match
  const [typed, setTyped] = useState(value.lines);
  const within = Object.entries(state.faults)
    .filter(([field]) => field.startsWith(`${name}.`))
    .map(([field, fault]) => [field.slice(name.length + 1), fault] as const);
  const fault = state.faults[name] ?? within.find(([tag]) => tag === value.language)?.[1];
  const inLines = useFaultInLines(
    typed,
    within.filter(([tag]) => tag !== value.language),
  );
  // a field shows all faults whose path starts with its name
  const only = (field: string, fault: string | undefined) => ({
    ...state,
    faults: fault ? { [field]: fault } : {},
  });
  const entry = { name, label, hint, optional, value: value.first, meanwhile: meanwhile.first };
  const limit = maxLength === undefined ? {} : { maxLength };
  return (
    <>
      <FormState value={only(name, fault)}>
        {long ? <TextArea {...entry} {...limit} /> : <TextField {...entry} {...limit} autoComplete="off" />}
      </FormState>
      {value.language !== '' && <input type="hidden" name={`${name}.language`} value={value.language} />}
      <FormState value={only(lines, inLines)}>
        <div onInput={(event) => setTyped((event.target as HTMLTextAreaElement).value)}>
          <TextArea
            name={lines}
            label={others}
            hint={say('One per line, starting with the language.')}
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

// A group of lines. Without JavaScript it shows a few empty lines. With JavaScript buttons add and remove lines.

type Line<Value> = { value: Value; index: number; remove: (() => void) | null };
type LinesFieldProps<Value> = {
  label: string;
  /** name of one line, for example "redirect address" */
  each: string;
  hint?: ReactNode;
  values: readonly Value[];
  empty: Value;
  /** number of empty lines that are shown without JavaScript */
  spare: number;
  fault?: string | undefined;
  meanwhile?: string | null | undefined;
  line: (line: Line<Value>) => ReactNode;
};

export function LinesField<Value>(props: LinesFieldProps<Value>) {
  const { label, each, hint, values, empty, spare, fault, meanwhile, line } = props;
  const say = useSay();
  const id = useId();
  const group = useRef<HTMLDivElement>(null);
  const [scripted, setScripted] = useState(false);
  const [lines, setLines] = useState(() =>
    [...values, ...Array<Value>(spare).fill(empty)].map((value, key) => ({ key, value })),
  );
  const next = useRef(lines.length);

  // with JavaScript one empty line is enough, because a button adds more lines
  useEffect(() => {
    setScripted(true);
    setLines((all) => all.slice(0, Math.max(1, values.length)));
  }, [values.length]);

  function add() {
    next.current += 1;
    setLines((all) => [...all, { key: next.current, value: empty }]);
    requestAnimationFrame(() => group.current?.lastElementChild?.querySelector('input')?.focus());
  }

  const removal = (key: number) =>
    scripted && lines.length > 1
      ? () => setLines((all) => all.filter((editedLine) => editedLine.key !== key))
      : null;

  return (
    <Group {...{ id, label, hint }}>
      <div className="lines" ref={group}>
        {lines.map(({ key, value }, index) => (
          <Fragment key={key}>{line({ value, index, remove: removal(key) })}</Fragment>
        ))}
      </div>
      <Fault id={id} fault={fault} />
      <Meanwhile value={meanwhile} />
      {scripted && (
        <button type="button" className="button plain small" onClick={add}>
          {say('Add another {each}', { each })}
        </button>
      )}
    </Group>
  );
}

export function RemoveButton({ of, remove }: { of: string; remove: (() => void) | null }) {
  const say = useSay();
  if (remove === null) return null;
  return (
    <button
      type="button"
      className="button quiet small"
      aria-label={say('Remove {what}', { what: of })}
      onClick={remove}
    >
      {say('Remove')}
    </button>
  );
}

type PairsFieldProps = {
  label: string;
  each: string;
  hint?: ReactNode;
  /** the inputs are `<name>.name` and `<name>.description`; fault paths are `<name>.<row>.name` and `.description` */
  name: string;
  values: readonly Pair[];
  placeholders: Pair;
  /** the third field of each row, `<name>.required_acr`: its values with labels */
  strengths?: Readonly<Record<string, { label: string }>> | undefined;
  /** each row has a field `<name>.groups` for ids of groups */
  inGroups?: boolean | undefined;
  /** fault paths are `<name>.<typed name>…` without row numbers, so the faults are shown below all rows */
  byName?: boolean;
  /** each row has a field `<name>.texts` for its description in other languages */
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
  // the text that was submitted, so that line numbers in faults match
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
      groups: say('Groups that can use this scope. If none is selected, everyone can use it'),
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
