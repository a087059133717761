import { CopyButton } from './copy-button.tsx';

/** A value to paste elsewhere. Without JavaScript one click selects all of it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className="copy">
      <code>{value}</code>
      <CopyButton text={value} label={label} />
    </div>
  );
}
