import { HostedPage } from './hosted-page.tsx';

/** Somebody arrived with a link that leads nowhere: what is wrong, and what to do. */
type Props = { heading: string; message: string; requestId: string };

export function Unusable({ heading, message, requestId }: Props) {
  return (
    <HostedPage>
      <h1>{heading}</h1>
      <p className="lead">{message}</p>
      <dl className="facts">
        <div>
          <dt>Request id</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </div>
      </dl>
      <p className="note">Nothing was shared, and nobody was signed in. You can close this page.</p>
    </HostedPage>
  );
}
