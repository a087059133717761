import { CopyButton, type CopyWords } from './copy-button.tsx';

type CopyFieldProps = { label: string; value: string; said?: CopyWords | undefined };

/** A value to paste elsewhere. Without JavaScript one click selects all of it. */
export function CopyField({ label, value, said }: CopyFieldProps) {
  return (
    <div className="copy">
      <code>{value}</code>
      <CopyButton text={value} label={label} said={said} />
    </div>
  );
}
