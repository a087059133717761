'use client';

// A GET form with filters. Without JavaScript its button reloads the page. With JavaScript a choice applies
// immediately, and typed text applies after a pause. The fields stay, and only the list is updated.
import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useTransition } from 'react';
import { withQuery } from './with-query.ts';

type LiveFormProps = { action: string; className: string; children: ReactNode };

const PAUSE_MS = 400;
const AT_ONCE = new Set(['select-one', 'checkbox', 'radio']);

export function LiveForm({ action, className, children }: LiveFormProps) {
  const router = useRouter();
  const [pending, start] = useTransition();
  const pause = useRef<number>(undefined);
  const formRef = useRef<HTMLFormElement>(null);

  function apply(form: HTMLFormElement) {
    window.clearTimeout(pause.current);
    if (holdsCredential(form)) return;
    const entries = [...new FormData(form)].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    start(() => router.replace(withQuery(action, Object.fromEntries(entries)), { scroll: false }));
  }

  // includes choices and input from before the script ran
  const applyEarly = useEffectEvent(() => {
    if (formRef.current && isChanged(formRef.current)) apply(formRef.current);
  });
  useEffect(() => applyEarly(), []);

  function applyLater({ currentTarget: form, target }: FormEvent<HTMLFormElement>) {
    window.clearTimeout(pause.current);
    if (AT_ONCE.has((target as HTMLInputElement).type)) return apply(form);
    pause.current = window.setTimeout(() => apply(form), PAUSE_MS);
  }

  function applyNow(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    apply(event.currentTarget);
  }

  return (
    <form
      ref={formRef}
      action={action}
      className={className}
      onInput={applyLater}
      onSubmit={applyNow}
      aria-busy={pending}
    >
      {children}
    </form>
  );
}

/**
 * True if a field contains a credential. Browsers refuse to submit such a form, and the script must not put the
 * form's values into an address.
 */
const holdsCredential = (form: HTMLFormElement): boolean =>
  [...form.elements].some((field) => field instanceof HTMLInputElement && field.validity.patternMismatch);

/** True if a field differs from the value that the server rendered. */
function isChanged(form: HTMLFormElement): boolean {
  return [...form.elements].some((field) => {
    if (field instanceof HTMLSelectElement) {
      const index = [...field.options].findIndex((option) => option.defaultSelected);
      return field.selectedIndex !== Math.max(0, index);
    }
    if (!(field instanceof HTMLInputElement)) return false;
    // a browser returns an empty value for an invalid time, and the form reports the fault
    if (field.value === '' && field.type !== 'search') return false;
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  });
}
