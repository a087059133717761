import { CopyButton, type CopyWords } from './copy-button.tsx';

type CodeBlockProps = { label: string; code: string; said?: CopyWords | undefined };

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
