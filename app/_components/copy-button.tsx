'use client';

import { useState } from 'react';

/** Copies the text; where the browser does not allow it, the text beside the button can be selected with one click. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      setCopied(false);
    }
  }

  return (
    <>
      <button type="button" className="copy-button" aria-label={`Copy ${label}`} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      <span role="status" className="unseen">
        {copied ? `${label} copied` : ''}
      </span>
    </>
  );
}
