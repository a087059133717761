// Code with a copy button.
import type { ReactNode } from 'react';

/** In page language; default: English. */
export type CopyWords = { copy: string; name: string; copied: string };

/**
 * Copies the text, or by default the adjacent code, using public/copy.js, which selects the text first if browsers
 * block clipboard access.
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

/** Code to copy. Long lines scroll inside the block, by keyboard too. */
export function CodeBlock({ label, code, said }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-block-head">
        <span>{label}</span>
        <CopyButton label={label} said={said} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
