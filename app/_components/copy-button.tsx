/** Copies the text by public/copy.js; where the browser does not allow it, the text beside the button can be selected. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <>
      <button
        type="button"
        className="copy-button"
        aria-label={`Copy ${label}`}
        data-copy={text}
        data-label={label}
      >
        Copy
      </button>
      <span role="status" className="unseen" />
    </>
  );
}
