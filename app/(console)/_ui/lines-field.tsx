'use client';

// A group of lines that come and go. Without JavaScript there are empty lines to fill in; with it, buttons add and
// remove them.
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { Fault, Group, Meanwhile } from './fields.tsx';

type Line<Value> = { value: Value; index: number; remove: (() => void) | null };
type LinesFieldProps<Value> = {
  label: string;
  /** what one line is: "redirect address" */
  each: string;
  hint?: ReactNode;
  values: readonly Value[];
  empty: Value;
  /** how many empty lines there are without JavaScript */
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

  // with a script, one empty line is enough to start with
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
    scripted && lines.length > 1 ? () => setLines((all) => all.filter((one) => one.key !== key)) : null;

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
