'use client';

// A form that posts to a submit address. Without JavaScript the page reloads with the faults. With JavaScript `fetch`
// sends the same fields and the page stays. The module includes the form's button, faults of fields, and content that
// is shown once.
import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { CodeBlock, CopyButton } from '#app/_components/copy.tsx';
import { useSay } from '../_texts/in-browser.tsx';
import { type SaidTest, TestSteps } from './test-steps.tsx';

// State of the form for its fields: whether it is sending, and faults by field.

type Faults = Readonly<Record<string, string>>;
type FormState = { readonly sending: boolean; readonly faults: Faults };

export const FormState = createContext<FormState>({ sending: false, faults: {} });

export function useFormState(): FormState {
  return useContext(FormState);
}

type SubmitTone = keyof typeof CLASSES;
type SubmitProps = {
  children: ReactNode;
  tone?: SubmitTone | undefined;
  name?: string;
  value?: string;
  /** id of the form, for a button outside it */
  form?: string;
  /** the object that the button concerns, read by screen readers if several buttons have the same label */
  of?: string;
};

const CLASSES = {
  main: 'button',
  plain: 'button plain',
  danger: 'button danger',
  link: 'as-link',
} as const;

/** Disabled while the form is sending, without changing its size. */
export function Submit({ children, tone = 'main', name, value, form, of }: SubmitProps) {
  const { sending } = useFormState();
  return (
    <button
      type="submit"
      className={CLASSES[tone]}
      name={name}
      value={value}
      form={form}
      aria-disabled={sending}
    >
      {children}
      {of !== undefined && <span className="unseen"> {of}</span>}
    </button>
  );
}

/** Texts of copy buttons in browser components, including the label of the copied value. */
export function useCopyWords() {
  const say = useSay();
  return (label: string) => ({
    copy: say('Copy'),
    name: say('Copy {what}', { what: label }),
    copied: say('Copied'),
  });
}

type Step = { href: string; label: string };

/** Content of a form's response that is stored nowhere: a secret, or (`copied: false`) the results for many items. */
export type Shown = {
  heading: string;
  message: string;
  values: [name: string, value: string][];
  copied?: false;
  /** values as a downloadable file */
  file?: { name: string; text: string };
  /**
   * offers the values as a file named `file` and as a printout; `download` and `print` are the labels of the
   * two buttons
   */
  kept?: { file: string; download: string; print: string };
  /** the page consists of this form only: the form's heading becomes the heading of the page */
  isPage?: true;
  /** the recommended step, shown before `next` */
  first?: Step;
  next: Step;
};

function ShownOnce({ shown }: { shown: Shown }) {
  const { heading, message, values, copied, file, isPage, first, next } = shown;
  const copyWords = useCopyWords();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.focus();
    if (isPage) document.title = heading;
  }, [heading, isPage]);
  const Heading = isPage ? 'h1' : 'h3';
  return (
    <div className="shown-once" ref={panel} tabIndex={-1} role="status">
      <Heading>{heading}</Heading>
      <p>{message}</p>
      <dl className="addresses">
        {values.map(([name, value], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a name can occur twice
          <div key={at}>
            {copied === false ? (
              <>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>{value}</dd>
              </>
            ) : (
              <>
                <dt>{name}</dt>
                <dd className="copy">
                  <code>{value}</code>
                  <CopyButton text={value} label={name} said={copyWords(name)} />
                </dd>
              </>
            )}
          </div>
        ))}
      </dl>
      {file && <KeptFile {...file} />}
      {shown.kept && (
        <p className="form-actions">
          <a className="button plain" download={shown.kept.file} href={fileOf(shown.values)}>
            {shown.kept.download}
          </a>
          <button type="button" className="button plain" onClick={() => window.print()}>
            {shown.kept.print}
          </button>
        </p>
      )}
      <p className="form-actions">
        {first && (
          <a className="button" href={first.href}>
            {first.label}
          </a>
        )}
        <a className={first ? 'button plain' : 'button'} href={next.href}>
          {next.label}
        </a>
      </p>
    </div>
  );
}

/**
 * The values that are shown once, as a `.env` file. Browsers remove a leading dot from the name of a
 * download.
 */
function KeptFile({ name, text }: NonNullable<Shown['file']>) {
  const say = useSay();
  const copyWords = useCopyWords();
  return (
    <>
      <CodeBlock label=".env" code={text} said={copyWords('.env')} />
      <p>
        <a
          className="button plain small"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={name}
        >
          {say('Download as a file')}
        </a>
      </p>
    </>
  );
}

const fileOf = (values: Shown['values']) =>
  `data:text/plain;charset=utf-8,${encodeURIComponent(`${values.map(([, value]) => value).join('\n')}\n`)}`;

/** JSON response of a submit address: redirect, show a secret, or stay on the page with faults or test results. */
export type FormAnswer = {
  go?: string;
  message?: string | null;
  faults?: Faults;
  shown?: Shown;
  test?: SaidTest | undefined;
};
type FormProps = {
  action: string;
  /** anti-forgery token of this form on this page, valid once */
  token: string;
  message?: string | null;
  faults?: Faults;
  /** result of testing the input */
  test?: SaidTest | undefined;
  /** id of the form, for a button elsewhere on the page */
  id?: string;
  label?: string;
  className?: string;
  /** the form has a file field; the number is the maximum size in bytes */
  takesFile?: number;
  /** hidden fields; `version`: version of the stored object */
  fields?: Record<string, string | number>;
  /** version of the object that the user saw, sent instead of the stored version */
  seen?: string;
  /** label of the last button; missing: `children` contains a button */
  submit?: string;
  tone?: SubmitTone;
  /** a second submit button, which sends the value `intent` */
  also?: { intent: string; label: string } | undefined;
  /** cancel link, displayed next to the button */
  leave?: { href: string; label: string };
  /** message if the service does not respond */
  unreachable?: string;
  /** title of the page; content that is shown once replaces it */
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
  const wasAnswered = useRef(false);

  useEffect(() => {
    if (!wasAnswered.current || sending) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"], #found');
    for (const element of form.current?.querySelectorAll(
      'details:has([aria-invalid="true"], .fault:not(:empty))',
    ) ?? [])
      element.setAttribute('open', '');
    wrong?.focus();
  }, [sending]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const data = new FormData(event.currentTarget, submitter);
    // the server closes the connection without a response if an upload is too large
    if ([...data.values()].some((value) => value instanceof File && value.size > takesFile)) {
      wasAnswered.current = true;
      return setAnswer({
        message: say('The file is larger than {size} bytes. Nothing was sent.', { size: takesFile }),
      });
    }
    setSending(true);
    setAnswer({});
    const next = (await post(action, takesFile > 0 ? data : textOf(data))) ?? {
      message:
        unreachable ??
        say(
          'The service did not respond. Wait a moment, then send the form again: it is processed only once.',
        ),
    };
    if (next.go !== undefined) return window.location.assign(next.go);
    wasAnswered.current = true;
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

/** Returns null if there was no response. */
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

/**
 * Content with a time limit in seconds. Without JavaScript, or while an element inside has the focus, the content
 * stays and states that it has expired.
 */
export function InTime({ seconds, children }: { seconds: number; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!place.current?.contains(document.activeElement)) setOver(true);
    }, seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return isOver ? null : <div ref={place}>{children}</div>;
}
