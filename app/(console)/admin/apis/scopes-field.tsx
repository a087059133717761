'use client';

// Pairs of a scope and what it lets an application do. Without a script there are empty lines to fill in.
import { useEffect, useId, useRef, useState } from 'react';
import { Fault, Meanwhile } from '#app/(console)/_ui/fields.tsx';
import { useFormState } from '#app/(console)/_ui/form-state.ts';

export type Scope = { name: string; description: string };
type ScopesFieldProps = { values: readonly Scope[]; meanwhile?: string | undefined };

const SPARE = 3;
const EMPTY = { name: '', description: '' };

export function ScopesField({ values, meanwhile }: ScopesFieldProps) {
  const id = useId();
  const { faults } = useFormState();
  const [scripted, setScripted] = useState(false);
  const [lines, setLines] = useState(() =>
    [...values, ...Array<Scope>(SPARE).fill(EMPTY)].map((scope, key) => ({ key, scope })),
  );
  const group = useRef<HTMLFieldSetElement>(null);
  const next = useRef(lines.length);

  // with a script, one empty line is enough to start with
  useEffect(() => {
    setScripted(true);
    setLines((all) => all.slice(0, Math.max(1, values.length)));
  }, [values.length]);

  function add() {
    next.current += 1;
    setLines((all) => [...all, { key: next.current, scope: EMPTY }]);
    requestAnimationFrame(() => {
      const inputs = group.current?.querySelectorAll<HTMLInputElement>('input[name="scopeName"]');
      inputs?.[inputs.length - 1]?.focus();
    });
  }

  return (
    <fieldset className="group" ref={group} aria-describedby={`${id}-hint`}>
      <legend>Scopes</legend>
      <p className="hint" id={`${id}-hint`}>
        What an application may ask for. The sentence is what people read before they allow it.
      </p>
      <div className="lines">
        {lines.map(({ key, scope }, at) => (
          <Line
            key={key}
            scope={scope}
            number={at + 1}
            fault={faults[`scopes.${at}.name`] ?? faults[`scopes.${at}.description`]}
            remove={
              scripted && lines.length > 1
                ? () => setLines((all) => all.filter((line) => line.key !== key))
                : null
            }
          />
        ))}
      </div>
      <Fault id={id} fault={faults['scopes']} />
      <Meanwhile value={meanwhile} />
      {scripted && (
        <button type="button" className="button plain small" onClick={add}>
          Add another scope
        </button>
      )}
    </fieldset>
  );
}

type LineProps = { scope: Scope; number: number; fault: string | undefined; remove: (() => void) | null };

function Line({ scope, number, fault, remove }: LineProps) {
  const id = useId();
  const aria = fault ? { 'aria-invalid': true, 'aria-describedby': `${id}-fault` } : {};
  return (
    <div className="line pair-line">
      <input
        name="scopeName"
        defaultValue={scope.name}
        placeholder="orders:read"
        aria-label={`Scope ${number}`}
        className="code"
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        autoComplete="off"
        {...aria}
      />
      <input
        name="scopeDescription"
        defaultValue={scope.description}
        placeholder="See your orders"
        aria-label={`What scope ${number} lets an application do`}
        autoComplete="off"
      />
      {remove && (
        <button type="button" className="button quiet small" onClick={remove}>
          Remove<span className="unseen"> scope {number}</span>
        </button>
      )}
      <p className="fault" id={`${id}-fault`} aria-live="polite">
        {fault ?? ''}
      </p>
    </div>
  );
}
