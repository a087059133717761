/**
 * Copies the text, or without one the code beside the button, by public/copy.js, which selects the text before it
 * where the browser does not let a page copy.
 */
export function CopyButton({ text, label }: { text?: string; label: string }) {
  return (
    <>
      <button
        type="button"
        className="copy-button"
        aria-label={`Copy ${label}`}
        data-copy={text ?? ''}
        data-label={label}
      >
        Copy
      </button>
      <span role="status" className="unseen" />
    </>
  );
}
