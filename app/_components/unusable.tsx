import { HostedPage } from './hosted-page.tsx';
import { Reference } from './reference.tsx';

type Props = { heading: string; message: string; requestId: string };

/** For a link that cannot be used: what is wrong, and what to do. */
export function Unusable({ heading, message, requestId }: Props) {
  return (
    <HostedPage>
      <h1>{heading}</h1>
      <p className="lead">{message}</p>
      <Reference name="Request id" id={requestId} />
      <p className="note">Nothing was shared, and nobody was signed in. You can close this page.</p>
    </HostedPage>
  );
}
