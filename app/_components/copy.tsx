// Code with a copy button.
import type { ReactNode } from 'react';

/** Texts in the language of the page; default: English. */
export type CopyWords = { copy: string; name: string; copied: string };

/**
 * A button that copies a text, by default the text next to it. public/copy.js copies it, and selects the text first
 * in case the browser blocks access to the clipboard.
 */
export function CopyButton({
  text,
  label,
  said,
}: {
  text?: string;
  label: string;
  said?: CopyWords | undefined;
}) {
  return (
    <>
      <button
        type="button"
        className="copy-button"
        aria-label={said?.name ?? `Copy ${label}`}
        data-copy={text ?? ''}
        data-label={label}
        data-copied={said?.copied}
      >
        {said?.copy ?? 'Copy'}
      </button>
      <span role="status" className="unseen" />
    </>
  );
}

type CodeBlockProps = {
  label: string;
  /** text, or text with coloured spans */
  code: ReactNode;
  said?: CopyWords | undefined;
};

/** Code that can be copied. Long lines scroll inside the block, also with the keyboard. */
export function CodeBlock({ label, code, said }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-block-head">
        <span>{label}</span>
        <CopyButton label={label} said={said} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
