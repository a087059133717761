'use client';

import { useEffect, useRef } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import { CopyButton } from '#app/_components/copy-button.tsx';
import { useSay } from '../_texts/in-browser.tsx';
import { useCopyWords } from './copy-words-in-browser.ts';

type Step = { href: string; label: string };

/**
 * In a form's answer, and stored nowhere: a secret that is shown once, or (`copied: false`) what became of many things.
 */
export type Shown = {
  heading: string;
  message: string;
  values: [name: string, value: string][];
  copied?: false;
  /** the values as a file to keep */
  file?: { name: string; text: string };
  /** the values as a file, and on paper, under these words */
  kept?: { file: string; download: string; print: string };
  /** the page was only for this form: its heading is the page's */
  isPage?: true;
  /** what most people do next, before `next` */
  first?: Step;
  next: Step;
};

export function ShownOnce({ shown }: { shown: Shown }) {
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
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a name may come twice
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

/** The same values for `.env`. Browsers take a leading dot off the name of a download. */
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
          {say('Download it as a file')}
        </a>
      </p>
    </>
  );
}

const fileOf = (values: Shown['values']) =>
  `data:text/plain;charset=utf-8,${encodeURIComponent(`${values.map(([, value]) => value).join('\n')}\n`)}`;
