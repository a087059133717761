import { HostedPage } from './hosted-page.tsx';

/** Somebody arrived with a link that leads nowhere: what is wrong, and what to do. */
export function Unusable({ heading, message }: { heading: string; message: string }) {
  return (
    <HostedPage>
      <h1>{heading}</h1>
      <p className="lead">{message}</p>
      <p className="note">Nothing was shared, and nobody was signed in. You can close this page.</p>
    </HostedPage>
  );
}
