'use client';

// Labelled inputs. Each input shows its fault, from the response to the form or from the draft.
import {
  type ComponentProps,
  type HTMLInputTypeAttribute,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { useFormState } from './form.tsx';

// A textarea that preserves text and selection entered before hydration.

/** React hydration resets a textarea to its initial text and caret; it never resets an input. */
export function EarlyTextArea(props: ComponentProps<'textarea'> & { id: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [early] = useState(() => ({ was: stateOf(props.id) }));
  useLayoutEffect(() => {
    const { current } = area;
    const { was } = early;
    // deleted after one use: effects can run again after further input
    early.was = null;
    if (current === null || was === null) return;
    if (was.text !== current.defaultValue) {
      current.value = was.text;
      // listeners received no event for the early text, even if React preserved the text
      current.dispatchEvent(new Event('input', { bubbles: true }));
    }
    // setting a selection can move focus
    if (document.activeElement === current) current.setSelectionRange(was.from, was.to, was.direction);
  }, [early]);
  return <textarea {...props} ref={area} />;
}

/** Text and selection of the server-rendered textarea; null: it does not exist yet. */
function stateOf(id: string) {
  if (typeof document === 'undefined') return null;
  const element = document.getElementById(id);
  if (!(element instanceof HTMLTextAreaElement)) return null;
  const { value: text, selectionStart: from, selectionEnd: to, selectionDirection: direction } = element;
  return { text, from, to, direction };
}

type Common = {
  name: string;
  label: string;
  hint?: ReactNode;
  value?: string | undefined;
  optional?: boolean;
  /** label suffix of optional fields */
  optionalWord?: string | undefined;
  /** value that another user has stored since, if it differs */
  meanwhile?: string | null | undefined;
};

export function useEntry(name: string, hint: ReactNode) {
  const id = useId();
  const fault = faultOf(name, useFormState().faults);
  const described = [hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter(Boolean).join(' ');
  const aria = {
    ...(described ? { 'aria-describedby': described } : {}),
    ...(fault ? { 'aria-invalid': true } : {}),
  };
  return { id, fault, aria };
}

/** Returns the first fault of a value that consists of parts, with the position of the faulty part. */
function faultOf(name: string, faults: Readonly<Record<string, string>>): string | undefined {
  const within = Object.keys(faults).find((key) => key.startsWith(`${name}.`));
  return faults[name] ?? (within && `${within.slice(name.length + 1)}: ${faults[within]}`);
}

type EntryProps = Pick<Common, 'label' | 'hint' | 'optional' | 'optionalWord' | 'meanwhile'> & {
  id: string;
  fault: string | undefined;
  children: ReactNode;
};

export function Entry({ id, label, hint, optional, optionalWord, fault, meanwhile, children }: EntryProps) {
  const say = useSay();
  return (
    <div className="entry">
      <label htmlFor={id}>
        {label} {optional && <span className="optional">{optionalWord ?? say('optional')}</span>}
      </label>
      <Hint id={id}>{hint}</Hint>
      {children}
      <Fault id={id} fault={fault} />
      <Meanwhile value={meanwhile} />
    </div>
  );
}

type GroupProps = { id: string; label: string; hint?: ReactNode; children: ReactNode };

/** Several inputs under one legend. */
export function Group({ id, label, hint, children }: GroupProps) {
  return (
    <fieldset className="group" aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend>{label}</legend>
      <Hint id={id}>{hint}</Hint>
      {children}
    </fieldset>
  );
}

function Hint({ id, children }: { id: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <p className="hint" id={`${id}-hint`}>
      {children}
    </p>
  );
}

export function Fault({ id, fault }: { id: string; fault: string | undefined }) {
  if (!fault) return null;
  return (
    <p className="fault" id={`${id}-fault`}>
      {fault}
    </p>
  );
}

export function Meanwhile({ value }: { value: string | null | undefined }) {
  const say = useSay();
  if (value === null || value === undefined) return null;
  return (
    <p className="meanwhile">
      {say('Currently stored:')} <bdi>{value === '' ? say('nothing') : value}</bdi>
    </p>
  );
}

type TextFieldProps = Common & {
  type?: HTMLInputTypeAttribute;
  autoComplete?: string;
  maxLength?: number;
  /** pattern that the browser checks, with its error message */
  pattern?: string;
  title?: string;
  min?: number;
  code?: boolean;
  autoFocus?: boolean;
  /** values that the browser suggests while a user types */
  suggestions?: readonly { value: string; label?: string }[];
};

/**
 * The field's type is text: with `type=email`, every browser rejects letters beyond ASCII before the @, although RFC
 * 6531 §3.3 allows them.
 */
const AS_EMAIL = { type: 'text', inputMode: 'email' } as const;

export function TextField({
  name,
  label,
  hint,
  value,
  optional = false,
  optionalWord,
  meanwhile,
  ...input
}: TextFieldProps) {
  const { id, fault, aria } = useEntry(name, hint);
  const { type = 'text', code, autoFocus, suggestions, ...rest } = input;
  const plain = code || type === 'email' || type === 'url';
  return (
    <Entry {...{ id, label, hint, optional, optionalWord, fault, meanwhile }}>
      <input
        id={id}
        name={name}
        {...(type === 'email' ? AS_EMAIL : { type })}
        defaultValue={value}
        required={!optional}
        className={code ? 'code' : undefined}
        // biome-ignore lint/a11y/noAutofocus: used only if typing into this field is the purpose of the page
        autoFocus={autoFocus}
        {...(plain ? { spellCheck: false, autoCapitalize: 'none', autoCorrect: 'off' } : {})}
        {...rest}
        {...aria}
        {...(suggestions && { list: `${id}-list` })}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion.value} {...suggestion} />
          ))}
        </datalist>
      )}
    </Entry>
  );
}

type FileFieldProps = Pick<Common, 'name' | 'label' | 'hint'> & { accept: string };

export function FileField({ name, label, hint, accept }: FileFieldProps) {
  const { id, fault, aria } = useEntry(name, hint);
  return (
    <Entry {...{ id, label, hint, fault, optional: true, meanwhile: null }}>
      <input id={id} name={name} type="file" accept={accept} {...aria} />
    </Entry>
  );
}

type TextAreaProps = Common & { rows?: number; maxLength?: number; code?: boolean; placeholder?: string };

export function TextArea({ name, label, hint, value, optional = false, meanwhile, ...area }: TextAreaProps) {
  const { id, fault, aria } = useEntry(name, hint);
  const { rows = 3, code, maxLength, placeholder } = area;
  return (
    <Entry {...{ id, label, hint, optional, fault, meanwhile }}>
      <EarlyTextArea
        id={id}
        name={name}
        rows={rows}
        maxLength={maxLength}
        placeholder={placeholder}
        defaultValue={value}
        required={!optional}
        className={code ? 'code' : undefined}
        spellCheck={!code}
        {...aria}
      />
    </Entry>
  );
}
