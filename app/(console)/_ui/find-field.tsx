// The field that finds anything. It posts, without a script too: a token that someone pastes must not be in an address.
import { LONGEST_TOKEN } from './find-limits.ts';

type FindFieldProps = {
  start: { action: string; token: string };
  id: string;
  label: string;
  button: string;
  value?: string;
  className: string;
  /** in sight; otherwise for a screen reader */
  labelled?: boolean;
};

export function FindField({ start, id, label, button, value, className, labelled = false }: FindFieldProps) {
  return (
    <search className={className} aria-label={label}>
      <form method="post" action={start.action}>
        <input type="hidden" name="anti_forgery" value={start.token} />
        <label htmlFor={id} className={labelled ? undefined : 'unseen'}>
          {label}
        </label>
        <span className="find-line">
          <input
            id={id}
            name="q"
            defaultValue={value}
            placeholder={labelled ? undefined : label}
            maxLength={LONGEST_TOKEN}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            dir="auto"
            aria-keyshortcuts={labelled ? undefined : '/'}
          />
          <button type="submit" className="button plain small">
            {button}
          </button>
        </span>
      </form>
    </search>
  );
}
