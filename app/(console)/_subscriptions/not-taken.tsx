import { Callout } from '../_ui/pieces.tsx';

/** Another person decided first, and the form is gone: what it said, and what was typed into it. */
export function NotTaken({ message, wrote }: { message: string | null; wrote: string }) {
  if (message === null) return null;
  return (
    <div role="alert">
      <Callout tone="refused">
        <p>{message}</p>
        {wrote !== '' && <blockquote>{wrote}</blockquote>}
      </Callout>
    </div>
  );
}
