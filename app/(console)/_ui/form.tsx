'use client';

// A form that posts to a submit address. Without JavaScript the page is loaded again with the faults. With JavaScript
// `fetch` sends the same fields, and the page stays as it is.
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { type Faults, FormState } from './form-state.ts';
import { type Shown, ShownOnce } from './shown-once.tsx';
import { Submit, type SubmitTone } from './submit.tsx';
import { type SaidTest, TestSteps } from './test-steps.tsx';

/** The JSON that a submit address gives: go to a page, show a secret, or stay and say what is wrong or was tested. */
export type FormAnswer = {
  go?: string;
  message?: string | null;
  faults?: Faults;
  shown?: Shown;
  test?: SaidTest | undefined;
};
type FormProps = {
  action: string;
  /** the anti-forgery token of this form on this page; it works once */
  token: string;
  message?: string | null;
  faults?: Faults;
  /** what a test of what was typed found */
  test?: SaidTest | undefined;
  /** for a button of it that is elsewhere on the page */
  id?: string;
  label?: string;
  className?: string;
  /** it has a field for a file of at most so many bytes */
  takesFile?: number;
  /** hidden fields; `version`: of the object as it is stored */
  fields?: Record<string, string | number>;
  /** the version that the person saw, which is sent in its place */
  seen?: string;
  /** the button at the end; without it the children have their own */
  submit?: string;
  tone?: SubmitTone;
  /** a second button, which sends `intent` */
  also?: { intent: string; label: string } | undefined;
  /** the link beside the button that leaves the form as it is */
  leave?: { href: string; label: string };
  /** said where the service does not answer */
  unreachable?: string;
  /** the page's title, which gives way to that of what is shown once */
  above?: ReactNode;
  children?: ReactNode;
};

export function Form({ action, token, message = null, faults = {}, test, ...inside }: FormProps) {
  const { label, className, also } = inside;
  const { id, takesFile = 0, fields = {}, seen, submit, tone, leave, unreachable, above, children } = inside;
  const say = useSay();
  const form = useRef<HTMLFormElement>(null);
  const [sending, setSending] = useState(false);
  const [answer, setAnswer] = useState<FormAnswer>({ message, faults, test });
  const answered = useRef(false);

  useEffect(() => {
    if (!answered.current || sending) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"], #found');
    for (const one of form.current?.querySelectorAll(
      'details:has([aria-invalid="true"], .fault:not(:empty))',
    ) ?? [])
      one.setAttribute('open', '');
    wrong?.focus();
  }, [sending]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const data = new FormData(event.currentTarget, submitter);
    // a larger one would be cut off on its way, without an answer
    if ([...data.values()].some((value) => value instanceof File && value.size > takesFile)) {
      answered.current = true;
      return setAnswer({
        message: say('The file is larger than {size} bytes. Nothing was sent.', { size: takesFile }),
      });
    }
    setSending(true);
    setAnswer({});
    const next = (await post(action, takesFile > 0 ? data : textOf(data))) ?? {
      message:
        unreachable ??
        say('The service did not answer. Wait a moment, then send this again: it is taken only once.'),
    };
    if (next.go !== undefined) return window.location.assign(next.go);
    answered.current = true;
    setAnswer(next);
    setSending(false);
  }

  if (answer.shown) return <ShownOnce shown={answer.shown} />;
  return (
    <FormState value={{ sending, faults: answer.faults ?? {} }}>
      {above}
      <form
        ref={form}
        id={id}
        method="post"
        action={action}
        encType={takesFile > 0 ? 'multipart/form-data' : undefined}
        onSubmit={send}
        className={className ?? 'form'}
        aria-label={label}
        aria-busy={sending}
      >
        {Object.entries({
          anti_forgery: token,
          ...fields,
          ...(seen !== undefined && 'version' in fields && { version: seen }),
        }).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {answer.message && (
          <p className="alert" role="alert" tabIndex={-1}>
            {answer.message}
          </p>
        )}
        {children}
        {answer.test && <TestSteps test={answer.test} />}
        {submit !== undefined && (
          <div className="form-actions">
            <Submit tone={tone}>{submit}</Submit>
            {also && (
              <Submit tone="plain" name="intent" value={also.intent}>
                {also.label}
              </Submit>
            )}
            {leave && (
              <a className="button quiet" href={leave.href}>
                {leave.label}
              </a>
            )}
          </div>
        )}
      </form>
    </FormState>
  );
}

const textOf = (data: FormData) =>
  new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));

/** Null: no answer came. */
async function post(action: string, body: FormData | URLSearchParams): Promise<FormAnswer | null> {
  try {
    const response = await fetch(action, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    });
    return (await response.json()) as FormAnswer;
  } catch {
    return null;
  }
}
